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

_ABOUT = re.compile(
    # What is said of words rather than by them; several languages, normalised (lower case, no accents).
    r"\b(?:what (?:does|do|is|are)\b.{0,60}\b(?:mean|means|called|do)|mean(?:s|ing)? (?:of|when|if)|"
    r"(?:phrases?|sentences?|strings?|words?|wording|messages?|prompts?|inputs?|texts?|requests?|commands?|lines?|"
    r"examples?|comments?|e-?mails?|reviews?|tickets?) "
    r"(?:like|such as|saying|that (?:says?|said|reads?|tells?|asks?|contains?)|containing|reading|"
    r"which says?|[:\"'“‘`])|"
    r"(?:attackers?|hackers?|adversar(?:y|ies)|someone|somebody|users?|people|customers?|students?|they|he|she|papers?|"
    r"articles?|tutorials?|posts?|books?) (?:\w+ ){0,3}(?:writes?|wrote|says?|said|types?|typed|tells?|told|asks?|"
    r"asked|sends?|sent|enters?|entered|uses?|used|tr(?:y|ies|ied)|puts?|hides?|inject(?:s|ed)?|posts?|posted)|"
    r"prompt[- ]injections?|jailbreak(?:s|ing)? (?:attempts?|prompts?|attacks?|techniques?)|injection attacks?|"
    r"(?:known|common|typical|famous|classic|popular) (?:attacks?|jailbreaks?|prompts?|phrases?|tricks?|examples?)|"
    r"(?:defend|protect|detect|guard|prevent|mitigat|filter|block|flag|catch|recogni[sz])\w* (?:\w+ ){0,4}"
    r"(?:against|from|prompts?|messages?|attacks?|injections?|inputs?|texts?|attempts?)|"
    r"(?:translat|classif|explain|summari[sz]|label|analy[sz]|spell|pronounc)\w*|"
    r"(?:is it|would it be|how) (?:safe|dangerous|risky|bad|harmful)|for (?:example|instance)|e\.g\.|such as|"
    r"(?:title|titled|called|named|entitled|quote|quoted|quotes|known as|regex|rule|unit test|test case)|"
    r"(?:was|wie|que|quoi|cosa|wat|co|ne|o que) (?:bedeutet|heisst|significa|signifie|veut dire|betekent|znaczy|demek)|"
    r"angreifer|attaquants?|atacantes?|attaccanti|aanvallers?|saldirganlar?|zum beispiel|par exemple|por ejemplo|"
    r"por exemplo|ad esempio|bijvoorbeeld|na przyklad|ornegin|ubersetze|tradui[st]|traduce|traduza|traduci)\b|"
    r"(?:злоумышленник|например|что (?:значит|означает)|фраз[аыу]|зловмисник|наприклад|що означає|переведи|переклади|"
    r"المهاجم|مثلا|ماذا تعني|ما معنى|हमलावर|उदाहरण|का मतलब|攻击者|例如|什么意思|翻译|比如|攻撃者|例えば|"
    r"という(?:文|言葉|意味)|"
    r"どういう意味|공격자|예를 들어|무슨 뜻|번역)"
)
_REPORTED = re.compile(
    r"\b(?:(?:attackers?|hackers?|adversar(?:y|ies)|someone|somebody|a user|users|people|a customer|customers|they) "
    r"(?:\w+ ){0,3}(?:writes?|wrote|says?|said|types?|typed|tells?|told|asks?|asked|sends?|sent|enters?|entered|"
    r"tr(?:y|ies|ied)|use[sd]?|hides?|inject(?:s|ed)?)|"
    r"(?:a|an|the|this|these|those|any|such|of|with|some|in) (?:\w+ ){0,2}(?:phrases?|sentences?|strings?|messages?|"
    r"prompts?|inputs?|texts?|requests?|attacks?|comments?|instructions?|commands?) (?:like|such as|"
    r"that (?:says?|tells?|asks?|reads?)|saying|telling|asking|which (?:says?|tells?|asks?)|to)|"
    r"(?:attempts?|attacks?|tries|trying|wants?|designed|meant|used|able|tricked|convinced|persuaded|forced) to|"
    r"(?:how (?:do|can|could|should|would|to|does)|why (?:do|does|would|is|are)|what (?:if|happens|should)|"
    r"is it (?:safe|possible|ok|bad)|should (?:i|we)|can (?:an?|someone|somebody|attackers?))\b.{0,100}"
    r"\b(?:detect|prevent|protect|defend|guard|stop|block|filter|injections?|attack\w*|jailbreak\w*|mitigat\w*)|"
    r"prompt[- ]injections?|"
    r"angreifer (?:\w+ ){0,3}(?:schreib|sag|versuch)\w*|attaquants? (?:\w+ ){0,3}(?:ecri|dis|essa)\w*|"
    r"atacantes? (?:\w+ ){0,3}(?:escrib|dic|intent|escrev|diz|tent)\w*|"
    r"attaccant[ei] (?:\w+ ){0,3}(?:scriv|dic|prov)\w*)\b"
    r"|(?:злоумышленник\w*|зловмисник\w*) (?:\S+ ){0,3}(?:пиш|говор|пыта|намага)|攻击者.{0,8}(?:写|说|输入)|"
    r"攻撃者.{0,10}(?:書|言|入力)|공격자.{0,10}(?:쓰|말|입력)|المهاجم\S* (?:\S+ ){0,3}(?:يكتب|يقول)"
)
_DO_IT = re.compile(
    # An order to obey what is quoted makes it an attack again.
    r"\b(?:do (?:what|as|exactly|the following|it\b|this\b|that\b)|obey|comply|execute (?:it|this|that|the)|"
    r"carry (?:it )?out|"
    r"follow (?:it|this|that|these|the (?:following|instructions?|quoted|above|order))|act (?:on|accordingly)|"
    r"and (?:then )?(?:do|follow|execute|obey)|then (?:do|follow|execute|obey)|from now on|your new "
    r"(?:instructions?|task|rules?|role)|tu (?:was|das)|befolge|fuhre .{0,20}aus|fais[- ]le|obeis|"
    r"execute[sz]?-?l[ae]|haz ?lo|obedece|sigue (?:esto|estas)|faca isso|obedeca|esegui|obbedisci|voer .{0,20}uit|"
    r"wykonaj|выполни|виконай|执行|照做|実行して|"
    r"실행해|따라 ?해|نفذ)\b"
)
_CODE_LINE = re.compile(
    r"^ ?(?:[-+] ?(?:def|class|if|return|assert|const|let|var|\"|'|#|//)|(?:def|class|import|from \w+ import|return|"
    r"assert|const|let|var|func|function|public|private|static|void|if \(|for \(|elif|print\(|console\.)\b|@@ |"
    r"diff --git|\d{4}-\d\d-\d\d[t ]\d\d:\d\d|\[?(?:info|warn|warning|error|debug)\]?[ :]|"
    r"\w+ ?= ?(?:re\.compile\(|r?[\"'\[{(])|"
    r"\w+\.\w+\(|[\"'][^\"']{1,60}[\"'] ?[:,]|grep |rg |sed |select |#define |expect\(|it\(|test\()"
)
_CODE_NEAR = re.compile(r"re\.(?:compile|search|match)\(|\bregexp?\b|\\b\(|\(\?:|\.\*|\[\^|\|\w+\||assert(?:equal)?\b")


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
    left = text[max(0, start - _REACH) : start].rpartition("\n")[2]
    right = text[end : end + _REACH].partition("\n")[0]
    if "code" in cut and _in_code(left, text[start:end], right):
        return True
    if "quoted" not in cut and "reported" not in cut:
        return False
    if _DO_IT.search(left) or _DO_IT.search(right):
        return False
    if "quoted" in cut and _is_quoted(left, right):
        return bool(_ABOUT.search(left) or _ABOUT.search(right)) or _is_question(left, right)
    return "reported" in cut and _REPORTED.search(_sentence_before(left)) is not None


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
