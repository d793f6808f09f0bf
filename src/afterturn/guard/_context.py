"""Tells an attack from a text that speaks about attacks: quoted, reported, or within code.

It reads the normalised text around a match, some hundred characters on each side and never past a paragraph, so its
cost does not grow with the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from afterturn.guard._mention import speaks_of_words
from afterturn.guard._rules import Cut

_REACH = 320

_QUOTES: dict[str, str] = {
    '"': '"', "'": "'", "`": "`", "“": "”", "”": "”", "„": "“”", "«": "»", "»": "«", "‘": "’", "「": "」", "『": "』",
    "《": "》", "‹": "›", "‚": "‘’",
}  # fmt: skip

_OPENINGS = frozenset((*_QUOTES, " ", "\n"))
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
    r"\b(?:what (?:would|will|do|does|happens?|happen) (?:\w+ ){0,4}if|would you|do you|will you|what if) (?:\w+ ){0,6}"
    r"(?:told|asked|tells?|asks?|said|says?|types?|typed|ordered|try to make|tried to make|tries to make|tricked|got|gets?) (?:you|it|them)(?: to)? ?$|"
    r"\b(?:can|could|have|has|were|are) (?:you|it|bots?|they) (?:\w+ ){0,2}(?:be|been|get|getting) (?:tricked|fooled|talked|made|convinced|persuaded|forced|"
    r"manipulated|hacked) (?:in)?to (?:\w+ )?$|"
    r"\b(?:sagte|bat|befahl|forderte|schrieb|brachte|uberredete|wollte)\w* (?:\w+ ){0,3}(?:chat)?(?:bot|assistent\w*|ki|roboter|modell)\b.{0,40}$|"
    r"\b(?:bottan|robottan|asistandan|zekadan|bota|robota|asistana|zekaya) (?:\S+ ){0,4}$|"
    r"\b(?:sticker|sign|note|mug|t-?shirt|poster|slide|screen|page|post|tweet|comment|review|letter|caption|headline|banner|video|card|"
    r"pop-?up|article|paper|line|message|text|e-?mail|button|leaflet)s? (?:\w+ ){0,5}(?:that|which) (?:said|says|read|reads|told|tells)(?: \w+ to)? ?$|"
    r"\b(?:someone|somebody|anyone|anybody|nobody|people|persons?|users?|customers?|visitors?|guests?|clients?|students?|pupils?|kids?|children|"
    r"attackers?|hackers?|colleagues?|journalists?|researchers?|boss|friend|brother|sister|son|daughter|he|she|they|who|texts?|messages?|prompts?|"
    r"phrases?|words?|sentences?|policy|forbid\w*|forbidden|prohibit\w*|never|can|could|how)\b[^.!?]{0,60}?"
    r"\b(?:ask|tell|told|convinc|persuad|trick|forc|order|instruct|command|mak|made|get|got|caus|talk|fool|push|coax|manipulat|want)\w* "
    r"(?:an?|the|our|my|your|their|its|such an?) (?:[\w'’-]+ ){0,3}(?:chat ?bot|bot|assistant|ai|model|llm|agent|robot|machine)s? "
    r"(?:(?:in)?to |into )?(?:\w+ing )?(?:\w+ ){0,2}$|"
    r"\b(?:name|acronym|abbreviation|letters?|it|term) (?:stands for|is short for|means) ?[\"'“‘]?$|"
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
_OBJECT = (
    r"(?:it|this|that|these|those|them|what|whatever|as (?:it|he|she|they|the|this|that|instructed|told|asked|written)|"
    r"exactly|accordingly|so\b|(?:the|its|his|her|their|this|that|these|those|said) (?:\w+ ){0,2}(?:instructions?|orders?|"
    r"commands?|quot\w+|texts?|notes?|sentences?|phrases?|messages?|words?|lines?|manual|rules?|above|following|"
    r"guidance|advice|wish\w*|requests?|prompts?|directives?|steps?|letter))"
)
_DO_IT = re.compile(
    # An order to obey what is quoted makes it an attack again.
    r"(?:(?:^|[.!?:;,\"”’'»)–—-]) ?|\b(?:and|then|now|please|just|so|simply|you|must|will|shall|should|assistant|bot|also|"
    r"afterwards|instead|let.?s|to) )(?:(?:then|now|please|just|simply|exactly|also|actually|really|first|immediately|"
    r"you|must|should|will|assistant) ){0,3}"
    r"(?:(?:do|obey|follow|execute|run|perform|apply|implement|adopt|honou?r|heed|carry out|live by|act (?:on|upon|by)|"
    r"comply with|abide by|adhere to|stick to|keep to|conform to|respect|take|make|go by|fulfil|answer|reply|respond|"
    r"behave|act|proceed|continue) "
    + _OBJECT
    + r"\b(?! (?:mean|seriously|as a joke|good|right|normal|safe|legal|worr|happen|to (?:the police|it|support)))|"
    r"obey\b|comply\b|(?:treat|consider|regard|accept|take|adopt|use) .{0,40}?\bas (?:your|an? (?:valid |real |new "
    r"|binding )?(?:order|instruction|command|rule)|binding|valid|real|true|instructions?|orders?))|"
    r"\b(?:operate under|make it so|for real\b|from now on|from this point|from here on|effective immediately|"
    r"your (?:new|actual|real) (?:instructions?|task|rules?|role|orders?)|"
    r"(?:addressed to|applies to|meant for|intended for|holds for|counts for|binding for) (?:you\b|the assistant|any)|"
    r"(?:that.?s|this is|which is) (?:exactly |precisely |just )?what (?:i|we) (?:want|need|expect|ask)|"
    r"(?:is|are) (?:now |hereby |from now )(?:true|yours?|binding|valid|in (?:force|effect)|active|lifted|void)|"
    r"act(?:ing)? as (?:an? |the )?(?:ai|dan|language|[a-z]+(?:gpt|bot)|char\w+)|pretend(?: to be| you|ing)?\b(?! to be (?:from|your|our|a human))|emulate|immerse yourself|"
    r"role-?play|the role of|you (?:will|must|can not|cannot|shall) (?:\w+ ){0,2}(?:answer|respond|be|act|never|not|always|play|refuse|"
    r"reply|follow|do|ignore)|you are (?:now |a |an )(?:\w+ ){0,4}(?:ai|model|system|character|assistant|machine|unrestricted)|(?:begin|start) (?:each|every|all)|"
    r"un(?:restricted|filtered|censored|ethical|moral)|jailbroken|amoral|(?:no|without) (?:\w+ )?(?:moral|ethic|restrict|limit|disclaimer)\w*|"
    r"stay in character|(?:any|every|the) (?:ai|assistant|bot|language model|llm)s? (?:\w+ ){0,6}(?:is to|are to|must|shall|should|has to)|"
    r"befolge|gehorche|fuhre? .{0,25}\baus\b|setze? .{0,25}\bum\b|halte dich (?:\w+ ){0,3}(?:daran|an)|"
    r"(?:tu|mach|mache)(?: jetzt| bitte| nun| genau){0,2} (?:was|das|es|dies|so)\b|handle (?:da)?nach|richte dich|wende "
    r".{0,25}\ban\b|verhalte dich|antworte (?:ent|so|wie|dem)|gilt (?:\w+ )?fur dich|ab (?:sofort|jetzt)|"
    r"fais[- ](?:le|exactement|ce|comme|donc)|obei[st]|applique[rz]?|execute[rsz]?|suis (?:la|le|les|cet\w*|ces|ce|son|sa)\b|"
    r"conforme[z]?-|agis (?:selon|comme|en)|reponds (?:comme|selon|en cons|ainsi)|considere .{0,25}comme|dorenavant|"
    r"desormais|haz(?:lo| lo| exactamente| caso)|obedece|obedezca|cumple|cumpla|aplica\b|aplique|sigue (?:lo|la|el|las|los|es\w+|su)\b|"
    r"ejecut[ae]\w*|actua (?:segun|como|en)|responde (?:como|segun|en cons)|a partir de ahora|desde ahora|"
    r"faca (?:isso|o que|exatamente)|obedeca|cumpra|siga (?:o|a|os|as|isso|ess\w)\b|aja (?:como|conforme|de)|"
    r"responda (?:como|conforme|de acordo)|a partir de agora|daqui em diante|fa(?:i|llo) (?:cosi|quello|cio|come|esattamente)|"
    r"fallo\b|esegui\w*|obbedisci|applica(?:l\w)?\b|segui (?:la|il|le|quest\w|quell\w|cio)\b|attieniti|agisci|rispondi (?:come|di cons|"
    r"secondo)|d.ora in poi|da (?:ora|adesso) in|voer .{0,25}\buit\b|gehoorzaam|doe (?:dit|dat|het|wat|precies|nu)\b|"
    r"volg (?:de|het|deze|dat|die|dit|op)\b|pas .{0,20}\btoe\b|handel (?:er)?naar|houd je (?:er)?aan|antwoord zoals|"
    r"beschouw|vanaf nu|wykonaj|zastosuj|zrob (?:to|tak|co|dokladnie)|postepuj|posluchaj|spelnij|przestrzegaj|"
    r"odpowiadaj|od (?:teraz|tej chwili|tego momentu)|potraktuj|uygula(?:\b|y)|yerine getir|itaat et|"
    r"(?:dedigini|soyleneni|yazani|bunu|oyle|aynen|denileni) yap|geregini yap|bundan (?:sonra|boyle)|"
    r"gore (?:davran|cevap|yanit|hareket))\b|"
    r"(?<!\w)(?:выполни|исполни|сделаи|следуи|подчинись|поступаи|примени|деиствуи|соблюдаи|виконаи|зроби|слухаися|"
    r"дотримуися|застосуи|діи|підкорися|вважаи|считаи)(?:те)?(?!\w)|(?:отныне|с этого момента|відтепер|"
    r"(?:отвечаи|відповідаи) (?:так|як|как|согласно|відповідно))|"
    r"执行|照做|照办|照着?.{0,6}(?:做|办|来)|按照?.{0,8}(?:做|办|回答|行事)|遵守它|遵从|听从|从现在起|服从|"
    r"実行して|実行せよ|実行しろ|実行する|従え|従って|その通りに|言う通り|書いてある通り|適用して|これからは|"
    r"실행해|실행하|따라 ?해|그대로 (?:해|하|따|실행)|말대로|시키는 대로|수행해|수행하|적용해|이제부터|따르(?:도록|라)|따라라|"
    r"(?:^|[ .،؛!])(?:و|ف|ثم )?(?:نفذ\S{0,2}|اتبع\S{0,2}|طبق\S{0,2}|افعل|امتثل|اطع|التزم|من الان فصاعدا|تصرف وفق) |"
    r"पालन कर|वैसा ही कर|यही कर|इसे मान|लागू कर|के अनुसार (?:कर|चल|काम)|अमल कर|अब से"
)
_CODE_LINE = re.compile(
    # Words of prose such as `return` or `let` are code only with what code has after them.
    r"^ ?(?:[-+] ?(?:def |class |if |return |assert |const |let |var |\"|'|#|//)|(?:async )?def \w+ ?\(|"
    r"class \w+ ?[(:{]|from [\w.]+ import |import [\w.]+(?:$|;| as |, )|return (?:[\"'(\[{]|\w+[.(\[])|"
    r"assert (?:not )?[\w.]+ ?[(=!<>\[]|(?:const|let|var) \w+ ?[:=]|func(?:tion)? \w*\(|"
    r"(?:public|private|static|void) [\w<> ]+[({=;]|(?:if|for|while) \(|elif |print\(|console\.\w+\(|@@ |diff --git|"
    r"\d{4}-\d\d-\d\d[t ]\d\d:\d\d\S* .{0,60}?\b(?:info|warn|warning|error|debug|block(?:ed)?|rejected|denied|flagged|verdict|"
    r"decision|allow(?:ed)?)\b|"
    r"\[(?:info|warn|warning|error|debug)\] .{0,40}?\b(?:blocked|rejected|denied|flagged|matched|input)\b|"
    r"\w+ ?= ?(?:re\.compile\(|r?[\"'\[{(])|[\w.]+ = (?:await )?[\w.]+\(|insert into |"
    r"\S+::\w+\[|\w+\.\w+\(|[\"'][^\"']{1,60}[\"'] ?,|(?:grep|rg|sed) -?\S*[\"']|select .{1,60} from |#define |"
    r"expect\(|it\(|test\()"
)
_CODE_NEAR = re.compile(
    r"\bcurl -|\bgit (?:commit|grep|log|tag) |\bgrep [\"'-]|"
    r"\b(?:var|let|const|string|str|char) \w+ = |\b[a-z_]+ = \[[\"']|\bvalues ?\([\"']|::test_\w+\[|\b(?:pattern|regex|match): [\"']|"
    r"re\.(?:compile|search|match)\(|\bregexp?\b|\\b\(|\(\?:|\.\*|\[\^|\|\w+\||assert(?:equal)?\(|assert \w+\("
)


_OWN_MACHINE = re.compile(
    # Whoever speaks of a machine of theirs, or of what others do to one, does not speak to it.
    r"\b(?:our|my|your company.?s|the company.?s|someone.?s) (?:[\w'’-]+ ){0,3}?"
    r"(?:chat ?bots?|bots?|assistants?|ai|models?|llms?|agents?|robots?|helpers?)\b|"
    r"\b(?:gets?|getting|got|makes?|making|made|tricks?|tricked|tricking|persuades?|convinces?|fools?|talks?|forces?|asks?|tells?|stops?|keeps?|"
    r"prevents?) (?:an?|the|our|my|your|their|such an?) (?:\w+ ){0,2}(?:chat ?bot|bot|assistant|ai|model|llm|agent|robot)s?\b|"
    r"\b(?:unser\w*|mein\w*|notre|nos|mon|nuestr\w+|mi|nosso|nossa|meu|nostro|nostra|mio|onze?|mijn|nasz\w*|moj\w*) (?:\w+[ -]){0,3}?"
    r"(?:chat-?bot\w*|bot\w*|assist\w+|asist\w+|asyst\w+|robot\w*|ki|ia|ai|agent\w*|modell?\w*|modele)\b|"
    r"\b(?:asistan|bot|robot|yapay zeka)\w*(?:imiz|umuz|muz|miz)\w*|"
    r"(?:наш|мои|моег|моем)\S* (?:\S+ ){0,2}(?:\S*бот|ассистент|асистент|помощник|помічник|модел|робот)|"
    r"(?:مساعدنا|روبوتنا|مساعدتنا|بوتنا)|(?:हमारे|हमारा|मेरे|मेरा) (?:\S+ ){0,3}(?:बॉट|चैटबॉट|सहायक|असिस्टेंट)|"
    r"(?:我们|我們|我家|公司)的?.{0,8}(?:机器人|機器人|助手|模型|客服)|(?:うち|当社|弊社|自社|私たち)の.{0,8}(?:ホット|アシスタント|ai)|"
    r"(?:우리|저희).{0,8}(?:봇|챗봇|어시스턴트|비서|로봇)"
)
_TO_YOU = re.compile(r"\b(?:your?|yours|yourself|me|tu|te|ti|toi|dir|dich|deine?\w*|tes|vos|votre|tus|tuo\w*|tue|je|jouw|jij)\b|тво|你|您|あなた|너|네 |당신")
_ASKS = re.compile(
    r"[^\w]*(?:(?:how|can|could|is (?:it|there)|are there|does|do|what|why|will|would|should|when|who|"
    r"wie|kann|konn\w+|warum|ist es|was|comment|peut-on|est-ce|pourquoi|como|puede|por que|pode|es posible|e possivel|puo|come|perche|"
    r"e possibile|hoe|kan|kunnen|is het|jak|czy|dlaczego|nasil)\b|как|можно ли|почему|чи |як |чому|كيف|هل|لماذا|क्या|कैसे|如何|怎)"
)
_ASKED_AT_END = re.compile(r"[^.!?。]{0,80}[?؟]")
_WORRIED = re.compile(
    r"\b(?:worr\w+|afraid|concern\w*|prevent\w*|protect\w*|fear\w*|risk\w*|nervous|whether|sorge\w*|angst|verhinder\w*|schutz\w*|"
    r"empech\w*|eviter|crain\w*|peur|evitar|impedir|proteger|preocup\w*|miedo|medo|evitare|impedire|proteggere|paura|voorkom\w*|"
    r"bang|zapobie\w*|chroni\w*|obaw\w*|engelle\w*|koru\w*|endise\w*)\b|боюсь|опасаюсь|предотврат|защит|запобіг|захист|"
    r"منع|حماية|قلق|रोक|बच|डर|防止|避免|担心|防く|心配|막|방지|걱정|吗|か\?"
)
_HAILED = re.compile(
    r"\b(?:ai|llms?|assistants?|bots?|chatbots?|models?|agents?|system|note|notice|attention|important|instructions?|task|"
    r"order|orders|command|commands|override|warning|reminder|directive|update|ki|ia|assistent\w*|assistant\w*|asistente|"
    r"asystent\w*|asistan\w*|todo|aufgabe|anweisung\w*|wichtig|achtung|hinweis|tache|consignes?|tarea|aviso|instruccion\w*|tarefa|"
    r"compito|istruzion\w*|opdracht|taak|zadanie|polecenie|gorev|talimat) ?:$|"
    r"(?:助手|系统|任务|指令|指示|システム|タスク|시스템|지시|과제|ассистент\S*|система|задани\S*|задач\S*|المساعد|مهمة|सहायक|कार्य)[:]$"
)
_JSON_KEY = re.compile(r"(?:[\"'] ?: ?|\w=|[\"'\]}\d] ?, ?|[^ ][\[{,])$")
_YAML_KEY = re.compile(r"[ \-*]*[\w.-]+: ?")
_ITEM = re.compile(r"(?:^|[ :])\(?(?:[a-h]|\d)[.)] [\"'“«]?")
_BULLET = re.compile(r"^ ?(?:[-*•·–—] |\(?(?:\d{1,2}|[a-h])[.)] ?|> ?)")
_CLOSED = re.compile(r"[\"“„«].{0,200}?[\"”“»]|[‘‹「『《].{0,200}?[’›」』》]|(?<!\w)'[^'\n]{1,200}'(?!\w)")
_SAID = re.compile(
    r"[^.!?。\n]{0,60}?(?:(?:라고|다고|냐고|자고|달라고) ?(?:했|하더|하는|썼|말했|말하|적|요구|부탁|입력|보냈)|"
    r"(?:と|ように)(?:言|書|入力|送|頼|指示|要求|命令|述へ|話|いう)|\b(?:diye|demis|dedi|yazmis|yazdi|yazan|soyledi|soylemis)\b)"
)
_WEAK_PAIRS = {"(": ")", "*": "*", "_": "_", "[": "]"}

_COLON = re.compile(r":(?= |$|[^\x00-\x7f])|\be\.g\.")
_ENDING = re.compile(r"(?<!\be\.g)[.!?][\"'”’»)]{0,2}(?: |$)|[。।]")

_QUOTED_LEAST = 2
_ENDING_LEAST = 3
_MARKED_LEAST = 4


@dataclass(frozen=True, slots=True)
class _Place:
    """Is a match with what stands around it in its line."""

    text: str
    start: int
    end: int
    line: int
    stop: int

    @property
    def left(self) -> str:
        return self.text[self.line : self.start]

    @property
    def right(self) -> str:
        return self.text[self.end : self.stop]


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
    while start < end and text[start] in _OPENINGS:
        start += 1
    line = max(text.rfind("\n", 0, start) + 1, start - _REACH)
    stop = text.find("\n", end)
    stop = min(len(text) if stop < 0 else stop, end + _REACH)
    place = _Place(text, start, end, line, stop)
    if "code" in cut and _in_code(place):
        return True
    if "quoted" in cut and _is_mentioned(place):
        return True
    return "reported" in cut and _is_reported(place)


def _is_mentioned(place: _Place) -> bool:
    """Says whether the words are marked as somebody's, and what stands around them speaks about them."""
    span = _quotation(place)
    if span is not None:
        outside = left, right = _outside(place, *span)
        if _obeys(outside):
            return False
        if span[0] >= place.start:  # only what ends the match is quoted
            return speaks_of_words(f"{left} … {right}", _ENDING_LEAST)
        if speaks_of_words(f"{left} … {right}", _QUOTED_LEAST) or _is_question(left, right):
            return True
        return _ABOUT.search(left) is not None or _ABOUT.search(right) is not None
    span = _passage(place)
    if span is None:
        return _is_said(place)
    outside = _outside(place, *span)
    if _BULLET.match(text := place.text[span[0] : span[0] + 8]):
        outside = tuple(map(_without_items, outside))
    least = _QUOTED_LEAST if text.lstrip().startswith(">") else _MARKED_LEAST
    return not _obeys(outside) and speaks_of_words(" … ".join(outside), least)


def _is_reported(place: _Place) -> bool:
    left, right = place.left, place.right
    if _obeys((left, right)):
        return False
    if _ASKED.search(left):
        return True
    sentence = _sentence_before(left)
    if _REPORTED.search(sentence) is not None or _PREVENTED.match(right) is not None:
        return True
    match = place.text[place.start : place.end]
    return (
        _TO_YOU.search(match) is None
        and _OWN_MACHINE.search(sentence) is not None
        and (
            _ASKS.match(sentence) is not None
            or _WORRIED.search(sentence) is not None
            or _ASKED_AT_END.match(right) is not None
        )
    )


def _without_items(part: str) -> str:
    """Leaves out the other items of a list."""
    return "\n".join(line for line in part.split("\n") if not _BULLET.match(line))


def _obeys(outside: tuple[str, ...]) -> bool:
    return any(_DO_IT.search(_CLOSED.sub('"…"', part)) for part in outside)


def _outside(place: _Place, start: int, end: int) -> tuple[str, ...]:
    """Gives what stands before and after a span, in the lines next to it as well."""
    text = place.text
    return text[max(0, start - _REACH) : start], text[end : end + _REACH]


def _quotation(place: _Place) -> tuple[int, int] | None:
    """Gives where the quotation starts and ends in which a match stands, the marks included."""
    text, line, stop = place.text, place.line, place.stop
    for at in (place.start, place.end):
        left, right = text[line:at], text[at:stop]
        for opening, closings in _QUOTES.items():
            opened = _opened(left, opening, closings)
            if opened < 0:
                continue
            closed = _closed(right, opening, closings)
            if closed < 0 or _is_value(left[:opened]):
                continue
            inside = at - line - opened  # of what only ends in a quotation, much of it must be within
            if at == place.start or inside * 5 >= (place.end - place.start) * 2:
                return line + opened, at + closed + 1
    return None


def _is_value(before: str) -> bool:
    """Says whether a mark opens the value of a key or an attribute: data, which nobody quotes."""
    return _JSON_KEY.search(before[-4:]) is not None or _YAML_KEY.fullmatch(before) is not None


def _opened(left: str, opening: str, closings: str) -> int:
    if opening == "'":
        found = [match.start() for match in re.finditer(r"(?<![^\W_])'(?=\S)", left)]
        return found[-1] if found and re.search(r"(?<=\S)'(?!\w)", left[found[-1] + 1 :]) is None else -1
    at = left.rfind(opening)
    if at < 0:
        return -1
    if opening in closings:  # the same mark opens and closes: it is open after an odd number of them
        begins = left[at + 1 : at + 2] not in (*" .,;:!?)",) and not left[at - 1 : at].isalnum()
        return at if left.count(opening) % 2 == 1 and (begins or not left[at - 1 : at].isascii()) else -1
    return -1 if any(closing in left[at + 1 :] for closing in closings) else at


def _closed(right: str, opening: str, closings: str) -> int:
    if opening in "'‘‚":
        match = re.search(rf"(?<=\S)[{closings}](?![^\W_])", right) or re.search(rf"[{closings}]", right)
        return match.start() if match else -1
    return min((at for at in map(right.find, closings) if at >= 0), default=-1)


def _is_said(place: _Place) -> bool:
    """Says whether a verb of saying closes the sentence, where the verb comes last, and it is told as a story."""
    if _SAID.match(place.right) is None or _DO_IT.search(place.right):
        return False
    return speaks_of_words(f"{_sentence_before(place.left)} … {place.right}", _MARKED_LEAST)


def _passage(place: _Place) -> tuple[int, int] | None:
    """Gives the passage that is set off otherwise: after a colon, in a list, in brackets, on a line of a reply."""
    text, left = place.text, place.left
    start = text.rfind("\n", 0, place.start) + 1
    if start >= place.start - _REACH and _BULLET.match(text[start : place.start + 1]):
        return start, place.stop
    items = list(_ITEM.finditer(left))
    if len(items) + len(_ITEM.findall(place.right)) > 1 and items and "." not in left[items[-1].end() :]:
        following = _ITEM.search(place.right)
        return place.line + items[-1].start(), place.end + (following.start() if following else len(place.right))
    for opening, closing in _WEAK_PAIRS.items():
        at = left.rfind(opening)
        if at >= 0 and closing not in left[at + 1 :] and closing in place.right:
            return place.line + at, place.end + place.right.index(closing) + 1
    return _introduced(place)


def _introduced(place: _Place) -> tuple[int, int] | None:
    """Gives the one or two sentences after a colon that somebody's words come after."""
    left = place.text[place.line : place.start + (place.end - place.start) * 3 // 5]
    for colon in reversed(list(_COLON.finditer(left))):
        at = colon.end()
        if len(_ENDING.findall(left[at:])) > 1:
            return None
        clause = _ENDING.split(left[max(0, at - 80) : at])[-1]
        if not _HAILED.search(left[:at]) and speaks_of_words(clause, 1):
            ending = _ENDING.search(place.right)
            return place.line + at, place.end + (ending.end() if ending else len(place.right))
    return None


def _is_question(left: str, right: str) -> bool:
    """Says whether the sentence around a quotation asks something of it."""
    outside = right.lstrip("\"'`”’»」 .!")
    return "?" in outside[:120] and not _sentence_before(left).rstrip("\"'`“„«‘ ").endswith(":")


def _sentence_before(left: str) -> str:
    return re.split(r"[.!?。] ", left)[-1]


def _in_code(place: _Place) -> bool:
    left, right = place.left, place.right
    if left.endswith("`") and right.startswith("`"):
        return False  # a code span is a quotation
    line = left + place.text[place.start : place.end]
    return _CODE_LINE.match(line) is not None or _CODE_NEAR.search(line[-200:] + right[:60]) is not None
