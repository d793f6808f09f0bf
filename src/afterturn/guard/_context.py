"""Tells an attack from a text that speaks about attacks: quoted, reported, or within code.

It reads the normalised text around a match, some hundred characters on each side and never past a paragraph, so its
cost does not grow with the text.
"""

from __future__ import annotations

import re

from afterturn.guard._rules import Cut

_REACH = 240

_QUOTES: dict[str, str] = {
    '"': '"', "'": "'", "`": "`", "“": "”", "”": "”", "„": "“”", "«": "»", "»": "«", "‘": "’", "「": "」", "『": "』",
    "《": "》", "‹": "›", "‚": "‘’",
}  # fmt: skip

_CLOSINGS = frozenset("".join(_QUOTES.values()) + ".,!?;:")

_ABOUT = re.compile(
    # What is said of words rather than by them, in the languages of the rules, normalised (lower case, no accents).
    r"\b(?:what (?:does|do|is|are)\b.{0,60}\b(?:mean|means|called|do)|mean(?:s|ing)? (?:of|when|if)|"
    r"(?:phrases?|sentences?|strings?|words?|wording|messages?|prompts?|inputs?|texts?|requests?|commands?|lines?|"
    r"examples?|comments?|e-?mails?|reviews?|tickets?) "
    r"(?:like|such as|saying|that (?:says?|said|reads?|tells?|asks?|contains?)|containing|reading|"
    r"which says?|[:\"'“‘`])|"
    r"(?:attackers?|hackers?|adversar(?:y|ies)|someone|somebody|users?|people|customers?|students?|they|he|"
    r"she|papers?|"
    r"articles?|tutorials?|posts?|books?) (?:\w+ ){0,3}(?:writes?|wrote|says?|said|types?|typed|tells?|told|asks?|"
    r"asked|sends?|sent|enters?|entered|uses?|used|tr(?:y|ies|ied)|puts?|hides?|inject(?:s|ed)?|posts?|posted|got)|"
    r"prompt[- ]injections?|jailbreak(?:s|ing)? (?:attempts?|prompts?|attacks?|techniques?)|injection attacks?|"
    r"(?:known|common|typical|famous|classic|popular) (?:attacks?|jailbreaks?|prompts?|phrases?|tricks?|examples?)|"
    r"(?:defend|protect|detect|guard|prevent|mitigat|filter|block|flag|catch|recogni[sz])\w* (?:\w+ ){0,4}"
    r"(?:against|from|prompts?|messages?|attacks?|injections?|inputs?|texts?|attempts?)|"
    r"(?:translat|classif|explain|summari[sz]|label|analy[sz]|spell|pronounc|describ|demonstrat|quot|"
    r"mention|illustrat)"
    r"\w*|(?:is it|would it be|how) (?:safe|dangerous|risky|bad|harmful)|for (?:example|instance)|e\.g\.|such as|"
    r"(?:article|chapter|course|lesson|slides?|lecture|workshop|newspaper|radio|podcast|paper|thesis|novel)\b|"
    r"(?:title|titled|called|named|entitled|known as|regex|rule|unit test|test case|so-called)|"
    r"(?:was|wie|que|quoi|cosa|wat|co|ne|o que) (?:bedeutet|heisst|significa|signifie|veut dire|betekent|"
    r"znaczy|demek)|"
    r"bedeutet|heisst es|beispiel\w*|artikel\w*|schulung\w*|beschreib\w*|erklar\w*|sogenannt\w*|zitat\w*|vortrag\w*|"
    r"veut dire|signifie|exemples?|formation|decri\w*|expliqu\w*|cite[rz]?|citation|articles?|"
    r"significa|ejemplos?|articulo|charla|describ\w*|explic\w*|llamad[ao]s?|cita|"
    r"exemplos?|artigo|palestra|descrev\w*|chamad[ao]s?|treinamento|"
    r"esempi\w*|articolo|corso|descriv\w*|spieg\w*|cosiddett\w*|citazione|"
    r"betekent|voorbeeld\w*|cursus|beschrij\w*|uitleg\w*|zogenaamde?|citaat|"
    r"znaczy|przyklad\w*|artykul\w*|szkoleni\w*|opis\w*|wyjasni\w*|cytat\w*|"
    r"demek|ornek\w*|ornegin|makale\w*|egitim\w*|acikla\w*|anlam\w*|alinti\w*|"
    r"angreifer|attaquants?|atacantes?|attaccanti|aanvallers?|saldirgan\w*|atakujac\w*|"
    r"ubersetze|tradui[st]|traduce|traduza|traduci|vertaal|przetlumacz|cevir)\b|"
    r"(?:злоумышленник|например|пример|что (?:значит|означает)|означа|фраз|стать[еяи]|обучени|описыва|объясн|"
    r"цитат|так называем|переведи|взломщик|зловмисник|наприклад|приклад|що означає|статт|навчанн|описує|поясн|"
    r"переклади|المهاجم|مثلا|مثال|ماذا تعني|ما معنى|يعني|عبارة|مقال|تدريب|شرح|ترجم|"
    r"हमलावर|उदाहरण|का मतलब|लेख|प्रशिक्षण|वाक्य|अनुवाद|समझा|"
    r"攻击者|黑客|例如|什么意思|翻译|比如|所谓|这句|句话|文章|课程|培训|解释|"
    r"攻撃者|例えは|例文|という|意味|記事|研修|講座|説明|翻訳|引用|"
    r"공격자|예를 들어|예시|무슨 뜻|번역|라는|라고 (?:하|쓰|적)|기사|교육|강의|설명|인용)"
)
_INJECTION = (
    r"(?:prompt[- ]?injections?|jailbreak(?:ing)?|prompt[- ]injektion\w*|injections? (?:de prompts?|d.invites?)|"
    r"inyeccion(?:es)? de (?:prompts?|instrucciones)|injec(?:ao|oes) de prompts?|iniezion[ei] di prompt|"
    r"promptinjectie\w*|wstrzykniec\w+ prompt\w*|(?:prompt|istem|komut) enjeksiyonu\w*|социальн\S+ инженер\S+|"
    r"промпт-?инъекци\S*|инъекци\S+ (?:промпт|подсказ|команд)\S*|промпт-?ін.?екці\S*|ін.?екці\S+ (?:промпт|"
    r"команд)\S*|"
    r"حقن (?:ال)?(?:موجهات|اوامر|تعليمات|برومبت)\S*|प्रॉम्प्ट इंजेक्शन|提示词?注入|指令注入|"
    r"フロンフト ?インシェクション|"
    r"프롬프트 ?인젝션)"
)
_REPORTED = re.compile(
    r"\b(?:attackers?|hackers?|adversar(?:y|ies)|scammers?|fraudsters?) "
    r"(?:\w+ ){0,3}(?:writes?|wrote|says?|said|types?|typed|tells?|told|asks?|asked|sends?|sent|enters?|entered|"
    r"tr(?:y|ies|ied)|use[sd]?|hides?|inject(?:s|ed)?)\b|"
    r"\b(?:someone|somebody|a user|users|people|a customer|customers|they|he|she) (?:\w+ ){0,3}"
    r"(?:writes?|wrote|says?|said|types?|typed|tells?|told|asks?|asked|sends?|sent|enters?|entered|tr(?:y|ies|ied)|"
    r"use[sd]?|hides?|inject(?:s|ed)?)\b(?! (?:to )?you\b)(?! that you\b).{0,80}$|"
    r"\b(?:a|an|the|this|these|those|any|such|of|with|some|in) (?:\w+ ){0,2}(?:phrases?|sentences?|strings?|"
    r"messages?|"
    r"prompts?|inputs?|texts?|requests?|attacks?|comments?|instructions?|commands?) (?:like|such as|"
    r"that (?:says?|tells?|asks?|reads?)|saying|telling|asking|which (?:says?|tells?|asks?)|to)\b.{0,80}$|"
    r"\b(?:people|someone|users?|they|researchers?|students?|teenagers?|a (?:\w+ )?(?:user|man|woman|customer)) "
    r"(?:\w+ ){0,2}(?:got|made|tricked|persuaded|convinced|talked|fooled) (?:an?|the|another|its|their|our) .{0,40}$|"
    r"\b(?:attempts?|attacks?|tries|trying|wants?|designed|meant|used|able|tricked|convinced|persuaded|forced) to\b"
    r".{0,40}$|"
    r"\b(?:how (?:do|can|could|should|would|to|does)|why (?:do|does|would|is|are)|what (?:if|happens|should)|"
    r"is it (?:safe|possible|ok|bad)|should (?:i|we)|can (?:an?|someone|somebody|attackers?))\b.{0,100}"
    r"\b(?:detect|prevent|protect|defend|guard|stop|block|filter|injections?|attack\w*|jailbreak\w*|mitigat\w*|"
    r"keep\b.{0,30}\bfrom\b)|"
    r"\b(?:about|against|explain\w*|describ\w*|detect\w*|prevent\w*|defen\w*|examples?|called|known as|"
    r"learn\w*|teach\w*|"
    r"what is|study|report\w*|uber|gegen|erklar\w*|contre|sur|explic\w*|expliqu\w*|contra|sobre|contro|"
    r"spieg\w*|tegen|"
    r"over|przed|hakkinda|karsi|про|против|проти|об|عن|ضد)\b.{0,40}"
    + _INJECTION
    + "|"
    + _INJECTION
    + r" ?(?:is|are|means?|attacks?|attempts?|where|when|that|such as|like|happens?|e\.g\.|ist|sind|"
    r"bedeutet|est|consiste|es|son|sao|sono|zijn|polega|to|demek|это|це|هو|هي|क्या|是|指|とは|は|란|은|는)|"
    r"\b(?:angreifer|attaquants?|atacantes?|attaccant[ei]|aanvallers?|saldirgan\w*|atakujac\w*|betruger|pirates?|"
    r"escrocs?|truffator[ei]|oplichters?|estafador\w*|golpistas?|oszu[sc]\w*|dolandirici\w*) (?:\w+ ){0,4}"
    r"(?:schreib|sag|versuch|ecri|dis|essa|tent|escrib|dic|intent|pid|escrev|diz|ped|scriv|prov|chied|demand|schrijf|"
    r"zeg|prober|vraag|pisz|mowi|prob|kaz|yaz|soyl|dene|iste)\w*|"
    r"\b(?:wie (?:\w+ ){0,3}(?:verhinder|schutz|erkenn|vermeid)|comment (?:\w+ ){0,2}(?:empech|evit|proteg|detect)|"
    r"como (?:\w+ ){0,2}(?:evit|imped|impid|proteg|protej|detect)|come (?:\w+ ){0,2}(?:evit|imped|protegg|rilev)|"
    r"hoe (?:\w+ ){0,3}(?:voorkom|bescherm|detect|herken)|jak (?:\w+ ){0,2}(?:zapobie|chroni|wykry|zabezpiecz))|"
    r"(?:как|як) (?:\S+ ){0,2}?(?:защит|предотврат|обнаруж|распозна|не допуст|захист|запобіг|виявит)|"
    r"كيف (?:يمكن\S* )?(?:امنع|احمي|نمنع|نحمي|اكتشف|نكتشف)|(?:如何|怎样|怎么|怎麼)(?:防止|避免|检测|防御|"
    r"阻止|识别|防范)|"
    r"(?:злоумышленник|зловмисник|мошенник|шахра|хакер)\S* (?:\S+ ){0,3}?(?:пиш|говор|пыта|намага|прос|каж)|"
    r"(?:攻击者|黑客|骗子).{0,8}(?:写|说|输入|试图|要求)|(?:攻撃者|詐欺師).{0,10}(?:書|言|入力|送)|"
    r"(?:공격자|사기꾼|해커).{0,10}(?:쓰|말|입력|보내)|(?:المهاجم|المخترق|المحتال)\S* (?:\S+ ){0,3}?(?:يكتب|"
    r"يقول|يطلب|يحاول)|"
    r"(?:हमलावर|हैकर|ठग)\S* (?:\S+ ){0,4}?(?:लिख|कह|बोल|कोशिश)"
)
_PREVENTED = re.compile(
    # The languages that say at the end of a sentence that it is about keeping an attack off.
    r"^[^.!?。।\n]{0,60}?(?:nasil (?:onle|engelle|koru|tespit)|कैसे (?:रोक|बच|पहचान)|を防(?:く|き|こう)|"
    r"への?対策|を検(?:知|出)|"
    r"攻撃|막(?:나|을|는|으|아)|방지|방어|탐지)"
)
_ASKED = re.compile(
    # Somebody asks whether they themselves should, was told to, or says that it must not be: right before the match.
    r"(?:\b(?:should|can|may|could|must|do|did|would|shall) (?:i|we|he|she|they|my \w+)"
    r"(?: (?:just|simply|safely|still|have to|need to|really|now|also|then))*|"
    r"\b(?:told|asked|instructed|advised|taught|warned|trained) (?:me|us|him|her|them|staff|students|"
    r"people) (?:not )?to|"
    r"\b(?:teacher|doctor|boss|manager|manual|leaflet|letter|e-?mail|technician|notice|sign|label|book|guide|plumber|"
    r"neighbou?r|website|coach|lawyer) (?:\w+ ){0,2}(?:said|says|told|asked|recommends?|recommended|advises?|advised|"
    r"suggests?|suggested)(?: (?:me|us))?(?: to| that (?:i|we)(?: \w+)?| (?:i|we) should)?|"
    r"\b(?:do not|don.?t|never|did not|didn.?t|won.?t|will not|not to|please don.?t)|"
    r"\b(?:soll|kann|darf|muss) (?:ich|man)(?: \w+){0,2}|\b(?:dois|puis|devrais)-je(?: \w+)?|"
    r"\b(?:est-ce que je|faut-il|"
    r"debo|puedo|deberia|posso|devo|dovrei|deveria|mag ik|moet ik|kan ik|czy (?:moge|mam|powinienem|powinnam))|"
    r"\b(?:nao|non|no|nie|n.|ne)|(?:^| )(?:не|можно ли(?: мне)?|нужно ли(?: мне)?|чи можна|чи треба|لا|"
    r"هل يمكنني|هل علي)|"
    r"क्या मैं|(?:不要|别|別|请勿|勿|我可以|我能|我该|我應該|我应该)) ?$"
)
_DO_IT = re.compile(
    # An order to obey what is quoted makes it an attack again.
    r"\b(?:do (?:what|as|exactly|the following|it\b|this\b|that\b)|obey|comply|execute (?:it|this|that|the)|"
    r"carry (?:it )?out|apply (?:it|this|these)|operate under|live by|make it so|for real\b|act on it|"
    r"follow (?:it|this|that|these|the (?:following|instructions?|quoted|above|order))|act (?:on|accordingly)|"
    r"and (?:then )?(?:do|follow|execute|obey)|then (?:do|act|follow|execute|obey)|from now on|your new "
    r"(?:instructions?|task|rules?|role)|tu (?:was|das)|befolge|fuhre .{0,20}aus|setze? .{0,20}um|fais[- ]le|obeis|"
    r"applique|execute[sz]?-?l[ae]|haz ?lo|obedece|cumple|aplica|sigue (?:esto|estas)|faca isso|obedeca|"
    r"cumpra|esegui|"
    r"obbedisci|applica|voer .{0,20}uit|gehoorzaam|doe (?:dit|dat|het)|wykonaj|zastosuj|zrob to|uygula|"
    r"yerine getir)\b|"
    r"(?:выполни|исполни|следуи этому|сделаи это|виконаи|зроби це|执行|照做|照办|实行|実行して|実行せよ|"
    r"従え|その通りに|"
    r"실행해|따라 ?해|그대로 해|수행해|نفذ|اتبع هذ|पालन करो|वैसा ही कर)"
)
_CODE_LINE = re.compile(
    # Words of prose such as `return` or `let` are code only with what code has after them.
    r"^ ?(?:[-+] ?(?:def |class |if |return |assert |const |let |var |\"|'|#|//)|(?:async )?def \w+ ?\(|"
    r"class \w+ ?[(:{]|from [\w.]+ import |import [\w.]+(?:$|;| as |, )|return (?:[\"'(\[{]|\w+[.(\[])|"
    r"assert (?:not )?[\w.]+ ?[(=!<>\[]|(?:const|let|var) \w+ ?[:=]|func(?:tion)? \w*\(|"
    r"(?:public|private|static|void) [\w<> ]+[({=;]|(?:if|for|while) \(|elif |print\(|console\.\w+\(|@@ |diff --git|"
    r"\d{4}-\d\d-\d\d[t ]\d\d:\d\d\S* .{0,60}?\b(?:info|warn|warning|error|debug|blocked|rejected|denied|flagged)\b|"
    r"\[(?:info|warn|warning|error|debug)\] .{0,40}?\b(?:blocked|rejected|denied|flagged|matched|input)\b|"
    r"\w+ ?= ?(?:re\.compile\(|r?[\"'\[{(])|"
    r"\w+\.\w+\(|[\"'][^\"']{1,60}[\"'] ?,|(?:grep|rg|sed) -?\S*[\"']|select .{1,60} from |#define |"
    r"expect\(|it\(|test\()"
)
_CODE_NEAR = re.compile(
    r"re\.(?:compile|search|match)\(|\bregexp?\b|\\b\(|\(\?:|\.\*|\[\^|\|\w+\||assert(?:equal)?\(|assert \w+\("
)


def is_cut(text: str, start: int, end: int, cut: frozenset[Cut]) -> bool:
    """Says whether a match stands in a context that makes it no attack.

    Args:
        text: The normalised text.
        start: Where the match starts.
        end: Where it ends.
        cut: The contexts that count for the rule.
    """
    if not cut:
        return False
    while end > start and text[end - 1] in _CLOSINGS:  # a pattern that ends in any letters may have eaten the mark
        end -= 1
    left = text[max(0, start - _REACH) : start].rpartition("\n")[2]
    right = text[end : end + _REACH].partition("\n")[0]
    if "code" in cut and _in_code(left, text[start:end], right):
        return True
    if "quoted" not in cut and "reported" not in cut:
        return False
    if _DO_IT.search(left) or _DO_IT.search(right):
        return False
    if "reported" in cut and _ASKED.search(left):
        return True
    if "quoted" in cut and _is_quoted(left, right):
        return bool(_ABOUT.search(left) or _ABOUT.search(right)) or _is_question(left, right)
    if "reported" not in cut:
        return False
    return _REPORTED.search(_sentence_before(left)) is not None or _PREVENTED.match(right) is not None


def _is_quoted(left: str, right: str) -> bool:
    for opening, closings in _QUOTES.items():
        at = left.rfind(opening)
        if at < 0 or not any(closing in right for closing in closings):
            continue
        if opening in closings:  # the same mark opens and closes: it is open after an odd number of them
            if left.count(opening) % 2 == 1 and not (opening == "'" and left[at - 1 : at].isalnum()):
                return True
        elif not any(closing in left[at + 1 :] for closing in closings):
            return True
    return False


def _is_question(left: str, right: str) -> bool:
    """Says whether the sentence around a quotation asks something of it."""
    outside = right.lstrip("\"'`”’»」 .!")
    return "?" in outside[:120] and not _sentence_before(left).endswith(":")


def _sentence_before(left: str) -> str:
    return re.split(r"[.!?。！？] ", left)[-1]


def _in_code(left: str, match: str, right: str) -> bool:
    if left.endswith("`") and right.startswith("`"):
        return False  # a code span is a quotation
    return _CODE_LINE.match(left + match) is not None or _CODE_NEAR.search(left[-60:] + right[:60]) is not None
