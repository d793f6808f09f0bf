"""The words of those who make, show and ask about machines and scenes; written as people write, folded later."""

from __future__ import annotations

FANTASY = (
    r"\b(?:on stage|school (?:play|fair|theatre)|drama class|monologue|sports commentator|stand-up|asimov|"
    r"fairy tale|dwarf|dwarves|elf|elves|orcs?|half-orc|wizard|sorcer\w+|dungeon|tavern|inn|innkeeper|kingdom|"
    r"quest|dragon|knight|goblin|troll|castle|d&d|tabletop|role-?playing game|text adventure|campaign|paladin|"
    r"bard|zwerg\w*|elfe\w*|ork\w*|zauberer|drache\w*|taverne|königreich|nain|elfe|auberge|royaume|dragon|enano|"
    r"mago|mazmorra|posada|taberna|reino|dragón|anão|masmorra|dragão|nano|locanda|regno|drago|dwerg|draak|herberg|"
    r"krasnolud\w*|smok\w*|karczm\w*|cüce|ejderha)\b|гном|эльф|дракон|таверн|ельф|قزم|تنين|बौना|矮人|巨龙|酒馆|"
    r"地下城|ドワーフ|ドラゴン|勇者|난쟁이|용사"
)
WRITES = (
    # Somebody writes the instructions of a machine of theirs.
    r"\b(?:i.?m|i am|we.?re|we are|i|we|i.ve|we.ve|who|he|she|they) (?:\w+ ){0,2}?(?:writ\w+|wrote|draft\w*|"
    r"edit\w*|build\w*|built|maintain\w*|test\w*|tun\w+|design\w*|put|have|translat\w+|review\w*)\b|\b(?:my|"
    r"our) (?:system )?(?:prompt|bot|assistant|agent)\b|\bdraft(?:ing)? (?:of )?(?:a|the|our|my)\b|\b(?:schreibe|"
    r"schreiben wir|entwerfe|teste|übersetze|formuliere|baue|wir bauen|mein\w*|unser\w*)\b|\b(?:j.écris|"
    r"nous écrivons|je rédige|je teste|je construis|mon|notre|j.ai (?:mis|écrit))\b|\b(?:escribo|"
    r"estoy (?:escribiendo|redactando|probando)|redacto|escribimos|mi|nuestro|nuestra|he (?:escrito|puesto))\b|"
    r"\b(?:escrevo|estou (?:escrevendo|testando|a escrever)|redijo|escrevemos|meu|nosso|nossa|escrevi|coloquei)\b|"
    r"\b(?:scrivo|sto (?:scrivendo|testando)|scriviamo|ho (?:scritto|messo)|mio|nostro|nostra)\b|\b(?:ik schrijf|"
    r"we schrijven|ik test|ik bouw|mijn|onze?|heb ik)\b|\b(?:piszę|piszemy|tworzę|testuję|mój|mojego|nasz\w*|"
    r"napisał\w*)\b|\b(?:yazıyorum|yazıyoruz|yazdım|test ediyorum|botum\w*|asistanım\w*)\b|(?:^| )(?:пишу|пишем|"
    r"составляю|тестирую|наш|мо[йеё]|я написал|пишемо|складаю|тестую|мій|мого)\S*(?!\w)|(?:^| )(?:أكتب|نكتب|كتبت|"
    r"أصمم|أختبر|مساعدنا|روبوتنا)|(?:लिख|बना) (?:रहा|रही|रहे)|हमारे|मेरे|मेरा|我?在(?:给|为|写)|我们的|我写|"
    r"書いて|作って|作成して|うちの|社内|쓰고 있|만들고 있|작성하고|작성 중|우리"
)
PROMPT = (
    r"\b(?:syste?e?m ?prompt\w*|prompts?|system (?:message|instructions?)|persona|systemnachricht|message système|"
    r"invite système|mensaje (?:del? )?sistema|mensagem d[eo] sistema|messaggio di sistema|systeembericht|"
    r"komunikat\w* systemow\w*|sistem (?:istem\w*|mesaj\w*|komut\w*))\b|системн\S+ (?:промпт|сообщени|повідомлен|"
    r"запрос|запит)|промпт|رسالة النظام|موجه النظام|برومبت|सिस्टम (?:प्रॉम्प्ट|मैसेज|संदेश)|系统提示|系統提示|"
    r"提示词|システムプロンプト|プロンプト|시스템 (?:프롬프트|메시지)|프롬프트"
)
MACHINE = (
    r"\b(?:for|of|für|pour|para|per|voor|dla|için|d[eou]|del|della|van|von) (?:an? |the |our |my |its |nos |"
    r"notre |le |la |les |el |un |una |uno |o |a |il |lo |het |de |den |das |die |unser\w* |mein\w* |nasz\w* |"
    r"onze? )?(?:[^\W\d_]+[ -]){0,3}?(?:\w*bots?|assist\w+|asist\w+|asyst\w+|agents?|robot\w*|ki|ia|model\w*|"
    r"helper)\b|\b\w*(?:botu|asistanı)\b|для (?:\S+ ){0,2}?(?:\S*бот|ассистент|асистент|помощник|помічник)|"
    r"ل(?:روبوت|مساعد|بوت)|(?:बॉट|सहायक|असिस्टेंट) (?:के लिए|का)|(?:机器人|機器人|助手)(?:写|的)|(?:ボット|"
    r"アシスタント)(?:の|用)|(?:봇|비서|어시스턴트)의|(?:봇|비서)용"
)
GIVEN_TO_ME = (
    # What the assistant told the customer to do.
    r"\b(?:you|they|he|she|your \w+) (?:just )?(?:gave|sent|told|asked|wrote|showed|explained)(?: to)? (?:me|"
    r"us)\b|\bque (?:tu|vous) (?:m.|nous )(?:as|avez|a)|\bdie (?:du|sie|ihr) (?:mir|uns)\b|\bque me (?:diste|dio|"
    r"dieron|ha\w*|mandaste|enviaste|enviaron|explic\w+)\b|\bque (?:você|vocês|tu|vc) (?:me|nos) \w+|\bche (?:mi|"
    r"ci) (?:hai|avete|ha)\b|\bdie (?:je|u|jullie) (?:me|mij|ons)\b|\bktór\w+ (?:\w+ )?(?:mi|nam)\b|\b(?:bana|"
    r"bize) \w+(?:diğin|dığın|düğün|duğun)\w*|(?:ты|вы) (?:мне|нам) (?:дал|сказал|прислал|написал|объяснил)|"
    r"(?:дал|сказал|прислал)\S* (?:мне|нам)|(?:ти|ви) (?:мені|нам) |(?:дав|дали|сказали|надіслали) (?:мені|нам)|"
    r"(?:أعطيتني|أرسلتها لي|قلت لي|شرحتها لي)|(?:आपने|तुमने) (?:मुझे|हमें)|你(?:刚才|之前|上面)?(?:给|发给|"
    r"告诉)我的|教えて(?:くれ|もら|いただ)|送って(?:くれ|いただ)|(?:저한테|제게|저에게|우리에게) (?:주신|준|보낸|"
    r"알려)"
)
MAY_ANYBODY = (
    # Whether anybody could make the machine do it.
    r"\b(?:can|could|might|may|will|has|did) (?:any(?:one|body)|some(?:one|body)|people|users?|hackers?|others|"
    r"strangers|customers)\b|\bis it possible\b|\bhow (?:easy|hard|likely)\b|\b(?:quelqu.un|on|un \w+|"
    r"n.importe qui) (?:peut|pourrait|arrive)\b|\b(?:peut-on|peut-il|pourrait-on)\b|\b(?:kann|könnte|können|"
    r"könnten|schafft) (?:jemand|man|irgendwer|ein\w*|andere|fremde|ihr|euer)\b|\b(?:puede|podría|"
    r"pueden) (?:alguien|cualquiera|un\w*|otr\w+)\b|\b(?:alguien|cualquiera) (?:puede|podría|consigue)\b|"
    r"\b(?:alguém|qualquer um|um \w+) (?:pode|poderia|consegue)\b|\b(?:qualcuno|chiunque|un \w+) (?:può|potrebbe|"
    r"riesce)\b|\b(?:può|potrebbe) (?:qualcuno|chiunque)\b|\b(?:kan|kunnen|zou) (?:iemand|men|anderen)\b|"
    r"\bczy (?:ktoś|ktokolwiek|można|inni|ktos)\b|\b(?:birisi|biri|herhangi biri|başkası)\b|может ли (?:кто|любой|"
    r"\S+)|можно ли|чи може (?:хтось|будь-хто)|чи можна|هل (?:يستطيع|يمكن|يقدر) (?:أحد|أي|شخص)|\b(?:can|could|"
    r"does|would|will|might|is) your (?:\w+ ){0,2}?(?:assistant|bot|chatbot|ai|robot)\b|"
    r"\bvotre (?:\w+ )?(?:assistant|bot|robot|ia|chatbot)\w* (?:peut|pourrait|va|sait|ferait)\b|\bkann (?:ihr|"
    r"euer|der|dein) (?:\w+ )?(?:assistent|bot|chatbot)|\bpuede (?:su|vuestro|el|tu) (?:asistente|bot|robot)|"
    r"\b(?:assistente|robô|bot) (?:de vocês )?(?:pode|consegue)|\bvostr[oa] (?:assistente|bot) può|"
    r"\bkan jullie (?:assistent|bot)|\bczy wasz\w* (?:asystent|bot)|может ли ваш|чи може ваш|\b(?:asistanınız|"
    r"botunuz)\b|مساعدكم|आपका (?:सहायक|बॉट|असिस्टेंट)|你们的?(?:助手|机器人)(?:会|能)|(?:御社|そちら)の(?:ボット|"
    r"アシスタント)|(?:당신|귀사|여기) ?(?:봇|챗봇)|क्या कोई|有人(?:能|可以|会)|(?:谁|誰)能|誰か(?:が|に)|(?:누가|"
    r"누군가|아무나)"
)
SECURE = (
    # Advice on safety: what stands in a page or a ticket is not to be obeyed.
    r"\b(?:never|not|n.t|nothing|without|avoid|refuse\w*|instead of) (?:\w+ ){0,3}?(?:follow\w*|obey\w*|execut\w*|"
    r"act\w*|trust\w*|run\w*)\b[^.!?\n]{0,50}\b(?:instructions?|commands?|orders|text|content|it|them)\b(?! (?:of|"
    r"from) (?:the |your )?(?:user|operator|system|developer))|\b(?:untrusted|injections?|injected|attackers?|"
    r"as data|sandbox\w*|red team|hostile|threat model)\b"
)
TELLS_OF_WORDS = (
    # A scene, a subtitle or a dialogue that somebody asks to be corrected, translated or judged.
    r"\b(?:punctuation|grammar|curtain|stage directions|radio play|puppet|improvis\w+|cutscene|villain|subtitles?|"
    r"translate|proofread|spelling|typos?|style guide|commas?|stage directions?|dialogue|scene|script for|"
    r"our play|amateur|theatre|theater|screenplay|sketch|verse|rehears\w+|untertitel\w*|szene|theater\w*|"
    r"dialog\w*|rechtschreibung|kommas?|scène|sous-titr\w*|dialogue|théâtre|ponctuation|escena|diálogo|"
    r"subtítul\w*|teatro|puntuación|cena|legendas?|pontuação|scena|sottotitol\w*|dialogo|scène|ondertitel\w*|"
    r"toneel\w*|scen[aęyąi]|scenie|napis\w*|teatr\w*|sahne\w*|altyazı\w*|tiyatro\w*)\b|сцен|диалог|субтитр|театр|"
    r"пьес|діалог|субтитр|вистав|مشهد|حوار|مسرح|दृश्य|संवाद|नाटक|剧本|台词|对话|字幕|台本|台詞|字幕|会話|대본|"
    r"대사|자막|연극"
)
LOGGED = (
    # A log, a screen or a display shows it.
    r"\b(?:logs?|logged|console|journal\w*|output|trace|screen|display\w*|panel|printer|terminal|monitor|"
    r"dashboard|error|message reads|pop-?up|protokoll|logbuch|anzeige|bildschirm|fehlermeldung|écran|affiche|"
    r"registro|pantalla|visor|tela|visor|painel|schermo|display|logboek|scherm|dziennik\w*|ekran\w*|wyświetl\w*|"
    r"günlük\w*|ekran\w*)\b|журнал|экран|дисплеи|лог(?:е|ах|и)?(?!\w)|екран|سجل|شاشة|लॉग|स्क्रीन|日志|屏幕|显示|"
    r"ログ|画面|表示|로그|화면"
)
POPPED_UP = (
    # What was pasted turned up somewhere, as the writer says after it.
    r"(?:\^|\b(?:this|that|which)) (?:(?:just|suddenly|what) )?(?:popped up|appeared|came up|showed up|flashed|"
    r"is (?:all )?(?:what )?(?:my|your|the|our) (?:\w+ )?(?:app|screen|till|kiosk|box|display|phone|machine) "
    r"(?:says|shows|showed|said|printed))|\b(?:stand|erschien|steht) (?:plötzlich |auf einmal )?(?:auf|in|am) |"
    r"\b(?:s.est affiché|est apparue?|voilà ce que|aparec\w+|apareceu|è (?:apparso|comparso)|verscheen|las ik op|"
    r"pojawił\w*|çıktı|belirdi)\b|появил|з.явил|ظهر|दिखा|弹出|跳出|出てき|表示され|떴|나왔"
)
DEVELOPED = (
    r"\b(?:changelog|release notes?|staging|by flag|flags?|config(?: file)?|build|deploy\w*|test env\w*|branch|"
    r"pipeline|docker|unit tests?|in tests|version \d|v\d+\.\d|migration|commit|patch notes|pull request|repos?|"
    r"repositor\w+|endpoint|middleware)\b"
)
MEANS = (
    r"\b(?:what does|what do(?:es)? (?:that|this|it)|mean(?:s|ing)?|why|did (?:some|any)\w+|have we been|"
    r"is (?:that|this|it) (?:normal|bad|an? |the)|hacked|how (?:do|can) i|que signifie|pourquoi|veut dire|"
    r"piraté\w*|was heißt|bedeutet|warum|gehackt|eingegriffen|qué significa|por qué|hackeado|o que significa|"
    r"por que|invadiu|cosa significa|perché|hackerato|wat betekent|waarom|co (?:to )?znaczy|dlaczego|włamał|"
    r"ne demek|neden|hacklendik)\b|что (?:это )?значит|почему|взлома|що означає|чому|зламали|ماذا يعني|لماذا|"
    r"اخترق|मतलब|क्यों|हैक|什么意思|為什麼|为什么|原因|被黑|意味|なぜ|てしょうか|무슨 뜻|왜|건가요|해킹"
)
CODE = (
    r"\bmessages ?[=:] ?\[|\.create\(|(?:^|\n)(?:import \w+|from \w+ import)|```|\b(?:def|const|let|var|"
    r"function) \w+ ?[(=]|\bcurl -|\bassert |\bexpect\(|\bunit test|\bsnippet\b|\bjson\b|\byaml\b|\bparser?\b|"
    r"\bregex\b|\btest case"
)
SPEAKER = r"(?:^|\n)[ (\[*]*([^\W\d_][^\W\d_ .'’-]{0,14}(?: [^\W\d_]{1,12})?)[ )\]*]*: "

ROLES = frozenset(
    (
        "admin",
        "administrator",
        "ai",
        "assistant",
        "bot",
        "developer",
        "function",
        "human",
        "model",
        "operator",
        "platform",
        "root",
        "system",
        "tool",
        "user",
    )
)
