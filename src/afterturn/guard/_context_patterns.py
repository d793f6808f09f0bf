"""The expressions that tell contexts apart, on normalised text: lower case, no accents, no full-width forms."""

from __future__ import annotations

import re

ABOUT = re.compile(
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
    r"ubersetze|tradui[st]|traduce|traduza|traduci|vertaal|przetlumacz|cevir|"
    r"villains?|protagonists?|my (?:hero|heroine|character|detective|butler|narrator|sketch|play|webcomic)|cheesy|"
    r"sounds? (?:too|right|natural|realistic|convincing|cheesy|believable|odd)|bosewicht\w*|krimi\w*|klingt|"
    r"mechant|mon personnage|polar|sonne bien|villano|mi personaje|suena|vilao|soa (?:bem|mal|natural)|"
    r"il cattivo|mio personaggio|suona|schurk\w*|slechterik|klinkt|zloczync\w*|bohater\w*|brzmi|kotu adam|"
    r"karakterim|kulaga)\b|"
    r"(?:злоде|мои геро|звучит|лиході|звучить|الشرير|खलनायक|किरदार|反派|悪役|セリフ|악당|주인공|"
    r"злоумышленник|например|пример|что (?:значит|означает)|означа|фраз|стать[еяи]|обучени|описыва|объясн|"
    r"цитат|так называем|переведи|взломщик|зловмисник|наприклад|приклад|що означає|статт|навчанн|описує|поясн|"
    r"переклади|المهاجم|مثلا|مثال|ماذا تعني|ما معنى|يعني|عبارة|مقال|تدريب|شرح|ترجم|"
    r"हमलावर|उदाहरण|का मतलब|लेख|प्रशिक्षण|वाक्य|अनुवाद|समझा|"
    r"攻击者|黑客|例如|什么意思|翻译|比如|所谓|这句|句话|文章|课程|培训|解释|"
    r"攻撃者|例えは|例文|という|意味|記事|研修|講座|説明|翻訳|引用|"
    r"공격자|예를 들어|예시|무슨 뜻|번역|라는|라고 (?:하|쓰|적)|기사|교육|강의|설명|인용)"
)
INJECTION = (
    r"(?:prompt[- ]?injections?|jailbreak(?:ing)?|prompt[- ]injektion\w*|injections? (?:de prompts?|d.invites?)|"
    r"inyeccion(?:es)? de (?:prompts?|instrucciones)|injec(?:ao|oes) de prompts?|iniezion[ei] di prompt|"
    r"promptinjectie\w*|wstrzykniec\w+ prompt\w*|(?:prompt|istem|komut) enjeksiyonu\w*|социальн\S+ инженер\S+|"
    r"промпт-?инъекци\S*|инъекци\S+ (?:промпт|подсказ|команд)\S*|промпт-?ін.?екці\S*|ін.?екці\S+ (?:промпт|"
    r"команд)\S*|"
    r"حقن (?:ال)?(?:موجهات|اوامر|تعليمات|برومبت)\S*|प्रॉम्प्ट इंजेक्शन|提示词?注入|指令注入|"
    r"フロンフト ?インシェクション|"
    r"프롬프트 ?인젝션)"
)
REPORTED = re.compile(
    r"\b(?:what (?:would|will|do|does|happens?|happen) (?:\w+ ){0,4}if|would you|do you|will you|"
    r"what if) (?:\w+ ){0,6}"
    r"(?:told|asked|tells?|asks?|said|says?|types?|typed|ordered|try to make|tried to make|tries to make|"
    r"tricked|got|gets?) (?:you|it|them)(?: to)? ?$|"
    r"\b(?:can|could|have|has|were|are) (?:you|it|bots?|they) (?:\w+ ){0,2}(?:be|been|get|getting) (?:tricked|"
    r"fooled|talked|made|convinced|persuaded|forced|"
    r"manipulated|hacked) (?:in)?to (?:\w+ )?$|"
    r"\b(?:sagte|bat|befahl|forderte|schrieb|brachte|uberredete|wollte)\w* (?:\w+ ){0,3}(?:chat)?(?:bot|"
    r"assistent\w*|ki|roboter|modell)\b.{0,40}$|"
    r"\b(?:bottan|robottan|asistandan|zekadan|bota|robota|asistana|zekaya) (?:\S+ ){0,4}$|"
    r"\b(?:t-?shirt|shirt|mug|sticker|sign|poster|banner|graffiti|slide|caption|headline|lyrics?|plaque|tattoo|"
    r"badge)s? (?:\w+ ){0,3}(?:says?|said|reads?) ?$|"
    r"\b(?:sticker|sign|note|mug|t-?shirt|poster|slide|screen|page|post|tweet|comment|review|letter|caption|"
    r"headline|banner|video|card|"
    r"pop-?up|article|paper|line|message|text|e-?mail|button|leaflet)s? (?:\w+ ){0,5}(?:that|which) (?:said|"
    r"says|read|reads|told|tells)(?: \w+ to)? ?$|"
    r"\b(?:someone|somebody|anyone|anybody|nobody|people|persons?|users?|customers?|visitors?|guests?|clients?|"
    r"students?|pupils?|kids?|children|"
    r"attackers?|hackers?|colleagues?|journalists?|researchers?|boss|friend|brother|sister|son|daughter|he|she|"
    r"they|who|texts?|messages?|prompts?|"
    r"phrases?|words?|sentences?|policy|forbid\w*|forbidden|prohibit\w*|never|can|could|how)\b[^.!?]{0,60}?"
    r"\b(?:ask|tell|told|convinc|persuad|trick|forc|order|instruct|command|mak|made|get|got|caus|talk|fool|push|"
    r"coax|manipulat|want)\w* "
    r"(?:an?|the|our|my|your|their|its|such an?) (?:[\w'’-]+ ){0,3}(?:chat ?bot|bot|assistant|ai|model|llm|"
    r"agent|robot|machine)s? "
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
    + INJECTION
    + "|"
    + INJECTION
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
PREVENTED = re.compile(
    # The languages that say at the end of a sentence that it is about keeping an attack off.
    r"^[^.!?。।\n]{0,60}?(?:mumkun mu|जा सकत|nasil (?:onle|engelle|koru|tespit)|कैसे (?:रोक|बच|पहचान)|"
    r"を防(?:く|き|こう)|"
    r"への?対策|を検(?:知|出)|"
    r"攻撃|막(?:나|을|는|으|아)|방지|방어|탐지)"
)
ASKED = re.compile(
    # Somebody asks whether they themselves should, was told to, or says that it must not be: right before the match.
    r"(?:\b(?:should|can|may|could|must|do|did|would|shall) (?:i|we|he|she|they|my \w+)"
    r"(?: (?:just|simply|safely|still|have to|need to|really|now|also|then))*|"
    r"\b(?:told|asked|instructed|advised|taught|warned|trained) (?:me|us|him|her|them|staff|students|"
    r"people) (?:not )?to|"
    r"\b(?:teacher|doctor|boss|manager|manual|leaflet|letter|e-?mail|technician|notice|sign|label|book|guide|"
    r"plumber|hospital|bank|scammer|caller|"
    r"colleague|neighbou?r|website|coach|lawyer) (?:\w+ ){0,2}(?:said|says|told|asked|recommends?|recommended|"
    r"advises?|advised|"
    r"suggests?|suggested)(?: (?:me|us))?(?: to| that (?:i|we)(?: \w+)?| (?:i|we) should)?|"
    r"\b(?:do not|don.?t|never|did not|didn.?t|won.?t|will not|not to|please don.?t)|"
    r"\b(?:soll|kann|darf|muss) (?:ich|man)(?: \w+){0,2}|\b(?:dois|puis|devrais)-je(?: \w+)?|"
    r"\b(?:est-ce que je|faut-il|"
    r"debo|puedo|deberia|posso|devo|dovrei|deveria|mag ik|moet ik|kan ik|czy (?:moge|mam|powinienem|powinnam))|"
    r"\b(?:nao|non|no|nie|n.|ne)|(?:^| )(?:не|можно ли(?: мне)?|нужно ли(?: мне)?|чи можна|чи треба|لا|"
    r"هل يمكنني|هل علي)|"
    r"क्या मैं|(?:不要|别|別|请勿|勿|我可以|我能|我该|我應該|我应该)) ?$"
)
OBJECT = (
    r"(?:it|this|that|these|those|them|what|whatever|as (?:it|he|she|they|the|this|that|instructed|told|asked|"
    r"written)|"
    r"exactly|accordingly|so\b|(?:the|its|his|her|their|this|that|these|those|"
    r"said) (?:\w+ ){0,2}(?:instructions?|orders?|"
    r"commands?|quot\w+|texts?|notes?|sentences?|phrases?|messages?|words?|lines?|manual|rules?|above|following|"
    r"guidance|advice|wish\w*|requests?|prompts?|directives?|steps?|letter))"
)
FOREIGN = re.compile(r"[\u0370-\u1fff\u2e80-\uff00]")
DO_IT = re.compile(
    # An order to obey what is quoted makes it an attack again.
    r"(?:(?:^|[.!?:;,\"”’'»)–—-]) ?|\b(?:and|then|now|please|just|so|simply|you|must|will|shall|should|"
    r"assistant|bot|also|"
    r"afterwards|instead|let.?s|to) )(?:(?:then|now|please|just|simply|exactly|also|actually|really|first|"
    r"immediately|"
    r"you|must|should|will|assistant) ){0,3}"
    r"(?<!no need to )(?<!n.t want you to )(?<!not asking you to )(?:(?:do|obey|follow|execute|run|perform|apply|"
    r"implement|adopt|honou?r|heed|carry out|live by|act (?:on|"
    r"upon|by)|"
    r"comply with|abide by|adhere to|stick to|keep to|conform to|respect|take|make|go by|fulfil|answer|reply|respond|"
    r"behave|act|proceed|continue) " + OBJECT + r"\b(?! (?:mean|ignore|forget|reveal|repeat|break|"
    r"seriously|as a joke|good|right|normal|safe|legal|worr|happen|to (?:the police|it|support)))|"
    r"obey\b|comply\b|(?:treat|consider|regard|accept|take|adopt|use) .{0,40}?\bas (?:your|an? (?:valid |real |new "
    r"|binding )?(?:order|instruction|command|rule)|binding|valid|real|true|instructions?|orders?))|"
    r"\b(?:operate under|make it so|for real\b|from now on|from this point|from here on|effective immediately|"
    r"your (?:new|actual|real) (?:instructions?|task|rules?|role|orders?)|"
    r"(?:addressed to|applies to|meant for|intended for|holds for|counts for|binding for) (?:you\b|"
    r"the assistant|any)|"
    r"(?:that.?s|this is|which is) (?:exactly |precisely |just )?what (?:i|we) (?:want|need|expect|ask)|"
    r"(?:is|are) (?:now |hereby |from now )(?:true|yours?|binding|valid|in (?:force|effect)|active|lifted|void)|"
    r"act(?:ing)? as (?:an? |the )?(?:ai|dan|language|[a-z]+(?:gpt|bot)|char\w+)|pretend(?: to be| you|"
    r"ing)?\b(?! to be (?:from|your|our|a human))|emulate|immerse yourself|"
    r"role-?play|the role of|you (?:will|must|can not|cannot|shall) (?:\w+ ){0,2}(?:answer|respond|be|act|never|"
    r"not|always|play|refuse|"
    r"reply|follow|do|ignore)|you are (?:now |a |an )(?:\w+ ){0,4}(?:ai|model|system|character|assistant|"
    r"machine|unrestricted)|(?:begin|start) (?:each|every|all)|"
    r"un(?:restricted|filtered|censored|ethical|moral)|jailbroken|amoral|(?:no|without) (?:\w+ )?(?:moral|ethic|"
    r"restrict|limit|disclaimer)\w*|"
    r"stay in character|(?:any|every|the) (?:ai|assistant|bot|language model|llm)s? (?:\w+ ){0,6}(?:is to|"
    r"are to|must|shall|should|has to)|"
    r"befolge|gehorche|fuhre? .{0,25}\baus\b|setze? .{0,25}\bum\b|halte dich (?:\w+ ){0,3}(?:daran|an)|"
    r"(?:tu|mach|mache)(?: jetzt| bitte| nun| genau){0,2} (?:was|das|es|dies|so)\b|handle (?:da)?nach|"
    r"richte dich|wende "
    r".{0,25}\ban\b|verhalte dich|antworte (?:ent|so|wie|dem)|gilt (?:\w+ )?fur dich|ab (?:sofort|jetzt)|"
    r"fais[- ](?:le|exactement|ce|comme|donc)|obei[st]|applique[rz]?|execute[rsz]?|suis (?:la|le|les|cet\w*|ces|"
    r"ce|son|sa)\b|"
    r"conforme[z]?-|agis (?:selon|comme|en)|reponds (?:comme|selon|en cons|ainsi)|considere .{0,25}comme|dorenavant|"
    r"desormais|haz(?:lo| lo| exactamente| caso)|obedece|obedezca|cumple|cumpla|aplica\b|aplique|sigue (?:lo|la|"
    r"el|las|los|es\w+|su)\b|"
    r"ejecut[ae]\w*|actua (?:segun|como|en)|responde (?:como|segun|en cons)|a partir de ahora|desde ahora|"
    r"faca (?:isso|o que|exatamente)|obedeca|cumpra|siga (?:o|a|os|as|isso|ess\w)\b|aja (?:como|conforme|de)|"
    r"responda (?:como|conforme|de acordo)|a partir de agora|daqui em diante|fa(?:i|llo) (?:cosi|quello|cio|"
    r"come|esattamente)|"
    r"fallo\b|esegui\w*|obbedisci|applica(?:l\w)?\b|segui (?:la|il|le|quest\w|quell\w|cio)\b|attieniti|agisci|"
    r"rispondi (?:come|di cons|"
    r"secondo)|d.ora in poi|da (?:ora|adesso) in|voer .{0,25}\buit\b|gehoorzaam|doe (?:dit|dat|het|wat|precies|nu)\b|"
    r"volg (?:de|het|deze|dat|die|dit|op)\b|pas .{0,20}\btoe\b|handel (?:er)?naar|houd je (?:er)?aan|antwoord zoals|"
    r"beschouw|vanaf nu|wykonaj|zastosuj|zrob (?:to|tak|co|dokladnie)|postepuj|posluchaj|spelnij|przestrzegaj|"
    r"odpowiadaj|od (?:teraz|tej chwili|tego momentu)|potraktuj|uygula(?:\b|y)|yerine getir|itaat et|"
    r"(?:dedigini|soyleneni|yazani|bunu|oyle|aynen|denileni) yap|geregini yap|bundan (?:sonra|boyle)|"
    r"gore (?:davran|cevap|yanit|hareket))\b"
)
DO_IT_ELSEWHERE = re.compile(
    # The same in languages of other scripts; looked for only where there is such a script.
    r"(?<!\w)(?:выполни|исполни|сделаи|следуи|подчинись|поступаи|примени|деиствуи|соблюдаи|виконаи|зроби|слухаися|"
    r"дотримуися|застосуи|діи|підкорися|вважаи|считаи)(?:те)?(?!\w)|(?:отныне|с этого момента|відтепер|"
    r"(?:отвечаи|відповідаи) (?:так|як|как|согласно|відповідно))|"
    r"执行|照做|照办|照着?.{0,6}(?:做|办|来)|按照?.{0,8}(?:做|办|回答|行事)|遵守它|遵从|听从|从现在起|服从|"
    r"実行して|実行せよ|実行しろ|実行する|従え|従って|その通りに|言う通り|書いてある通り|適用して|これからは|"
    r"실행해|실행하|따라 ?해|그대로 (?:해|하|따|실행)|말대로|시키는 대로|수행해|수행하|적용해|이제부터|"
    r"따르(?:도록|라)|따라라|"
    r"(?:^|[ .،؛!])(?:و|ف|ثم )?(?:نفذ\S{0,2}|اتبع\S{0,2}|طبق\S{0,2}|افعل|امتثل|اطع|التزم|من الان فصاعدا|تصرف وفق) |"
    r"पालन कर|वैसा ही कर|यही कर|इसे मान|लागू कर|के अनुसार (?:कर|चल|काम)|अमल कर|अब से"
)
CODE_LINE = re.compile(
    # Words of prose such as `return` or `let` are code only with what code has after them.
    r"^ ?(?:[-+] ?(?:def |class |if |return |assert |const |let |var |\"|'|#|//)|(?:async )?def \w+ ?\(|"
    r"class \w+ ?[(:{]|from [\w.]+ import |import [\w.]+(?:$|;| as |, )|return (?:[\"'(\[{]|\w+[.(\[])|"
    r"assert (?:not )?[\w.]+ ?[(=!<>\[]|(?:const|let|var) \w+ ?[:=]|func(?:tion)? \w*\(|"
    r"(?:public|private|static|void) [\w<> ]+[({=;]|(?:if|for|while) \(|elif |print\(|console\.\w+\(|@@ |diff --git|"
    r"\d{4}-\d\d-\d\d[t ]\d\d:\d\d\S* .{0,60}?\b(?:info|warn|warning|error|debug|block(?:ed)?|rejected|denied|"
    r"flagged|verdict|"
    r"decision|allow(?:ed)?)\b|"
    r"\[(?:info|warn|warning|error|debug)\] .{0,40}?\b(?:blocked|rejected|denied|flagged|matched|input)\b|"
    r"\w+ ?= ?(?:re\.compile\(|r?[\"'\[{(])|[\w.]+ = (?:await )?[\w.]+\(|insert into |"
    r"\S+::\w+\[|\w+\.\w+\(|[\"'][^\"']{1,60}[\"'] ?,|(?:grep|rg|sed) -?\S*[\"']|select .{1,60} from |#define |"
    r"expect\(|it\(|test\()"
)
LABELS = (
    "label",
    "verdict",
    "expected",
    "decision",
    "is_",
    "malicious",
    "block",
    "attack",
    "benign",
    "injection",
    "jailbreak",
    "safe",
    "ata",
    "angriff",
    "ата",
)
LABELLED = re.compile(
    # A row of test data says what it is.
    r"[\"']?\b(?:label|verdict|expected|decision|is_attack|is_injection|blocked|malicious|expected_\w+|"
    r"should_block)[\"']? ?[:=] ?[\"']?\w|"
    r"[\",;\t](?:attack|benign|malicious|injection|jailbreak|block|safe|unsafe|angriff|ataque|attaque|attacco|"
    r"atak|атака)[\"']? ?(?:$|[}?])"
)
CODE_SIGNS = ("(", "[", "=", "|", ".*", "\\", "curl", "git ", "grep", "regex", "pattern", "match", "assert")
CODE_NEAR = re.compile(
    r"\bcurl -|\bgit (?:commit|grep|log|tag) |\bgrep [\"'-]|"
    r"\b(?:var|let|const|string|str|char) \w+ = |\b[a-z_]+ = \[[\"']|\bvalues ?\([\"']|"
    r"::test_\w+\[|\b(?:pattern|regex|match): [\"']|"
    r"re\.(?:compile|search|match)\(|\bregexp?\b|\\b\(|\(\?:|\.\*|\[\^|\|\w+\||assert(?:equal)?\(|assert \w+\("
)


OWN_MACHINE = re.compile(
    # Whoever speaks of a machine of theirs, or of what others do to one, does not speak to it.
    r"\b(?:our|my|your company.?s|the company.?s|someone.?s) (?:[\w'’-]+ ){0,3}?"
    r"(?:chat ?bots?|bots?|assistants?|ai|models?|llms?|agents?|robots?|helpers?)\b|"
    r"\b(?:gets?|getting|got|makes?|making|made|tricks?|tricked|tricking|persuades?|convinces?|fools?|talks?|"
    r"forces?|asks?|tells?|stops?|keeps?|"
    r"prevents?) (?:an?|the|our|my|your|their|such an?) (?:\w+ ){0,2}(?:chat ?bot|bot|assistant|ai|model|llm|"
    r"agent|robot)s?\b|"
    r"\b(?:unser\w*|mein\w*|notre|nos|mon|nuestr\w+|mi|nosso|nossa|meu|nostro|nostra|mio|onze?|mijn|nasz\w*|"
    r"moj\w*) (?:\w+[ -]){0,3}?"
    r"(?:chat-?bot\w*|bot\w*|assist\w+|asist\w+|asyst\w+|robot\w*|ki|ia|ai|agent\w*|modell?\w*|modele)\b|"
    r"\b(?:asistan|bot|robot|yapay zeka)\w*(?:imiz|umuz|muz|miz)\w*|"
    r"(?:наш|мои|моег|моем)\S* (?:\S+ ){0,2}(?:\S*бот|ассистент|асистент|помощник|помічник|модел|робот)|"
    r"(?:مساعدنا|روبوتنا|مساعدتنا|بوتنا)|(?:हमारे|हमारा|मेरे|मेरा) (?:\S+ ){0,3}(?:बॉट|चैटबॉट|सहायक|असिस्टेंट)|"
    r"(?:我们|我們|我家|公司)的?.{0,8}(?:机器人|機器人|助手|模型|客服)|(?:うち|当社|弊社|自社|"
    r"私たち)の.{0,8}(?:ホット|アシスタント|ai)|"
    r"(?:우리|저희).{0,8}(?:봇|챗봇|어시스턴트|비서|로봇)"
)
TO_YOU = re.compile(
    r"\b(?:your?|yours|yourself|me|tu|te|ti|toi|dir|dich|deine?\w*|tes|vos|votre|tus|tuo\w*|tue|je|jouw|jij)\b|"
    r"тво|你|您|あなた|너|네 |당신"
)
ASKS = re.compile(
    r"[^\w]*(?:(?:how|can|could|is (?:it|there)|are there|does|do|what|why|will|would|should|when|who|"
    r"wie|kann|konn\w+|warum|ist es|was|comment|peut-on|est-ce|pourquoi|como|puede|por que|pode|es posible|"
    r"e possivel|puo|come|perche|"
    r"e possibile|hoe|kan|kunnen|is het|jak|czy|dlaczego|nasil)\b|как|можно ли|почему|чи |як |чому|كيف|هل|لماذا|"
    r"क्या|कैसे|如何|怎)"
)
ASKED_AT_END = re.compile(r"[^.!?。]{0,80}[?؟]")
POSSIBLE = re.compile(
    # Whether anybody could make a machine do it: a question, no order.
    r"\b(?:(?:has|have|did) (?:any(?:one|body)|some(?:one|body)|people|users?)|can (?:any(?:one|body)|"
    r"some(?:one|body)|people|users?)|"
    r"is it (?:easy|hard|possible) (?:for \w+ )?to (?:make|get|trick|force)|how (?:well|safe|secure|easily|"
    r"hard)|why (?:can.?t|won.?t|don.?t|can|do) (?:you|it)|"
    r"does (?:asking|telling|saying|typing|writing)|what does ?[\"'`<|]*$|peut-on|quelqu.un peut|"
    r"est-il possible (?:de|qu)|kann (?:man|jemand)|konnte man|"
    r"(?:se|alguien) puede|es posible (?:que alguien|hacer)|da para|alguem (?:pode|consegue)|(?:si|"
    r"qualcuno) puo|puo qualcuno|kan (?:men|iemand)|"
    r"czy (?:mozna|ktos))\b|\bwhat does ?[\"'`<|]*$|(?:можно ли|может ли кто|чи можна|чи може хтось|هل يمكن|"
    r"有没有办法|有沒有辦法|能不能有人)"
)
WORRIED = re.compile(
    r"\b(?:worr\w+|afraid|concern\w*|prevent\w*|protect\w*|fear\w*|risk\w*|nervous|whether|sorge\w*|angst|"
    r"verhinder\w*|schutz\w*|"
    r"empech\w*|eviter|crain\w*|peur|evitar|impedir|proteger|preocup\w*|miedo|medo|evitare|impedire|proteggere|"
    r"paura|voorkom\w*|"
    r"bang|zapobie\w*|chroni\w*|obaw\w*|engelle\w*|koru\w*|endise\w*)\b|боюсь|опасаюсь|предотврат|защит|запобіг|"
    r"захист|"
    r"منع|حماية|قلق|रोक|बच|डर|防止|避免|担心|防く|心配|막|방지|걱정|吗|か\?"
)
HAILED = re.compile(
    r"\b(?:ai|llms?|assistants?|bots?|chatbots?|models?|agents?|system|note|notice|attention|important|"
    r"instructions?|task|"
    r"order|orders|command|commands|override|warning|reminder|directive|update|ki|ia|assistent\w*|assistant\w*|"
    r"asistente|"
    r"asystent\w*|asistan\w*|todo|aufgabe|anweisung\w*|wichtig|achtung|hinweis|tache|consignes?|tarea|aviso|"
    r"instruccion\w*|tarefa|"
    r"compito|istruzion\w*|opdracht|taak|zadanie|polecenie|gorev|talimat) ?:$|"
    r"(?:助手|系统|任务|指令|指示|システム|タスク|시스템|지시|과제|ассистент\S*|система|задани\S*|задач\S*|"
    r"المساعد|مهمة|सहायक|कार्य)[:]$"
)
JSON_KEY = re.compile(r"(?:[\"'] ?: ?|\w=|[\"'\]}\d] ?, ?|[^ ][\[{,])$")
YAML_KEY = re.compile(
    r"[ \-*]*(?:\w+[._])?(?:body|description|content|text|subject|title|notes?|comments?|message|name|value|"
    r"data|summary|details?|reviews?|bio|about|"
    r"location|snippet|reply|answer|result|output|response|caption|alt)(?:_\w+)?: ?"
)
ITEM = re.compile(r"(?:^|[ :])\(?(?:[a-h]|\d)[.)] [\"'“«]?")
BULLET = re.compile(r"^ ?(?:[-*•·–—>] |\(?(?:\d{1,2}|[a-h])[.)] ?)")
CLOSED = re.compile(r"[\"“„«].{0,200}?[\"”“»]|[‘‹「『《].{0,200}?[’›」』》]|(?<!\w)'[^'\n]{1,200}'(?!\w)")
OWN_WORDS = re.compile(
    # Somebody takes back what they themselves said before.
    r"\b(?:my|our|mes|nos|mis|nuestras|minhas|nossas|mie|nostre|miei|mijn|onze|meine\w?|unsere\w?|moje|moich|"
    r"nasze) (?:\S+ )?(?:previous|earlier|prior|"
    r"precedente?s?|anterior\w*|precedenti|vorherige\w*|bisherige\w*|fruhere\w*|letzte\w*|vorige|eerdere|"
    r"laatste|poprzedni\w*|"
    r"wczesniejsz\w*)\b|\b(?:consignes?|instruc\w+|istruzion\w+|indica\w+) (?:anteriores |precedentes? |"
    r"precedenti )?(?:mias|minhas|mie)\b|"
    r"\b(?:mes|mis|minhas|mie|mijn|meine\w?|moje) (?:\S+ ){0,2}(?:precedente?s?|anteriores|precedenti)\b|"
    r"(?:onceki|eski) \w+(?:lar|ler)imi\b|"
    r"(?:мо[иеяю]|наш)\S* (?:прежн|предыдущ|прошл|попередн)|私の(?:前|以前)|我(?:之前|先前|前面)|(?:제|"
    r"내)가? ?(?:이전|앞서)"
)
MATTER = re.compile(
    # What was said was about a delivery and the like, not about how a machine is to behave.
    r"^[\"'”]? ?(?:(?:that |which )?(?:i|we) (?:gave|sent|left|wrote|told|mentioned|made)\b|(?:about|regarding|"
    r"concerning|for|on|zu[rm]?|bezuglich|"
    r"wegen|sur|pour|concernant|sobre|acerca de|para|sulla|sul|per|over|voor|dotyczac\w+|do|w sprawie|по|о|об|"
    r"щодо|про|بخصوص|حول) (?:the |my |our |your "
    r"|la |le |les |l.|el |las? |los |o |a |os |as |il |lo |de |het |mijn |die |der |das )?(?:deliver|order|"
    r"parcel|package|gift|address|invoice|payment|appointment|"
    r"booking|refund|shipping|lieferung|bestellung|paket|adresse|rechnung|termin|livraison|commande|colis|"
    r"adresse|facture|rendez|entrega|pedido|paquete|"
    r"regalo|direcci|factura|cita|encomenda|fatura|consegna|ordin|pacco|indirizzo|fattura|bezorging|bestelling|"
    r"pakket|factuur|dostaw|zamowien|paczk|faktur|"
    r"доставк|заказ|посылк|адрес|замовлен|التوصيل|الطلب|الشحن))"
)
MATTER_BEFORE = re.compile(
    r"(?:teslimat|siparis|paket|kargo|fatura|randevu|adres)\w* (?:ile )?(?:ilgili|icin|hakkinda) ?$|(?:配送|"
    r"注文|荷物|"
    r"請求|住所|予約)(?:に(?:ついて|関する)|の).{0,3}$|"
    r"(?:배송|주문|택배|예약|주소)(?:에 대한|에 관한| 관련) ?$|(?:送货|订单|快递|发票|地址|预约)(?:的|"
    r"方面).{0,3}$|(?:डिलीवरी|ऑर्डर|"
    r"पार्सल) (?:के बारे में|वाले|से जुड़े) ?$"
)
SAID = re.compile(
    r"[^.!?。\n]{0,60}?(?:(?:라고|다고|냐고|자고|달라고) ?(?:했|하더|하는|썼|말했|말하|적|요구|부탁|입력|보냈)|"
    r"(?:と|ように)(?:言|書|入力|送|頼|指示|要求|命令|述へ|話|いう)|\b(?:diye|demis|dedi|yazmis|yazdi|yazan|"
    r"soyledi|soylemis)\b)"
)

COLON = re.compile(r":(?= |$|[^\x00-\x7f])|\be\.g\.")
ENDING = re.compile(r"(?<!\be\.g)[.!?][\"'”’»)]{0,2}(?: |$)|[。।]")
