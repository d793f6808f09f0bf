"""The words of everyday situations whose sentences look like attacks; written as people write, folded later."""

from __future__ import annotations

AI_NAMED = (
    r"(?<!['’])\b(?:ai|llms?|\w*gpt\w*|chat-?bots?|bots?|language models?|(?:the|any|this|your) model|(?:virtual |"
    r"digital )?assistants?|prompts?|ki|ia|assistent\w*|assistant\w*|asistente\w*|asystent\w*|yapay zek\w*|"
    r"asistan\w*|robot\w*|sprachmodell\w*|intelligenza artificiale|inteligencia artificial|"
    r"sztuczn\w+ inteligencj\w+)\b|бот(?:а|у|ом|е|ы|ів)?(?!\w)|ассистент|асистент|помічник|помощник|неиросет|"
    r"неирон|языков\S+ модел|мовн\S+ модел|مساعد|روبوت|نموذج لغوي|ذكاء|सहायक|बॉट|एआई|असिस्टेंट|助手|机器人|機器人|"
    r"语言模型|大模型|人工智能|アシスタント|ボット|言語モデル|챗봇|언어 모델|인공지능|어시스턴트"
)
AUDIENCE = (
    # The people whom a notice, a manual or a circular is for.
    r"\b(?:passengers|travellers|spectators|fahrgäste|voyageurs|passagers|pasajeros|passageiros|viaggiatori|"
    r"reizigers|pasażerowie|yolcular|(?:to|for|dear|all|our|the|every) (?:\w+ ){0,2}?(?:staff|employees|"
    r"colleagues|residents|tenants|neighbou?rs|drivers|couriers|volunteers|crew|nurses|teachers|pupils|parents|"
    r"members|guests)|staff must|employees must|handbook|staff room|duty (?:manager|officer)|dear all|hi all|"
    r"union|committee|neighbou?rs|house rules|mitarbeiter\w*|kolleg\w+|bewohner\w*|mieter\w*|nachbar\w*|fahrer\w*|"
    r"aushang\w*|dienstanweisung|hausordnung|rundschreiben|belegschaft|personnel|employés|salariés|collègues|"
    r"résidents|locataires|voisins|chauffeurs|bénévoles|consigne de service|règlement intérieur|note de service|"
    r"copropriété|empleados|compañeros|vecinos|inquilinos|conductores|voluntarios|al personal|casero|funcionários|"
    r"colaboradores|moradores|condomínio|motoristas|voluntários|al personale|dipendenti|colleghi|condomini|"
    r"condominio|inquilini|autisti|volontari|medewerkers|personeel|collega.?s|bewoners|huurders|buren|"
    r"vrijwilligers|huisregels|pracowni\w+|personel\w*|koledzy|koleżanki|mieszkańc\w+|lokator\w*|sąsiad\w+|"
    r"kierowc\w+|wolontariusz\w*|regulamin dyżur\w*|çalışanlar\w*|personele|sakinler\w*|kiracılar\w*|komşular\w*|"
    r"şoförler\w*|gönüllüler\w*)(?!\w)|сотрудники(?!\w)|сотрудникам|персонал|коллеги|жильц|жители|соседи|соседям|"
    r"водител|волонт|объявлени|вахт|працівники|працівникам|співробітники|колеги|мешкан|сусіди|сусідам|водії|"
    r"волонтер|оголошенн|الموظفين|الموظفات|العاملين|السكان|الجيران|السائقين|المتطوعين|موظفي|कर्मचारियों|निवासियों|"
    r"किरायेदारों|पड़ोसियों|स्वयंसेवकों|स्वागत कक्ष|各位(?:员工|同事|业主|住户|邻居)|全体(?:员工|同事)|員工們|"
    r"職員各位|社員各位|各位|住民の皆|入居者|승객|यात्री|यात्रियों|пассажир|пасажир|المسافر|乗客|乘客|旅客|"
    r"직원 공지|직원 여러분|주민 여러분|입주민|사원 여러분"
)
TITLE = (
    # How rules for people begin.
    r"(?:^|\n)[#*§ ]*(?:[\w.'’-]+ ){0,3}?(?:handbook|manual|protocol|procedure|policy|regulations?|guidelines?|"
    r"checklist|reminder|code of conduct|memo|circular|notice|minutes|house rules|safety rules|instructions for|"
    r"script for|dienstanweisung|hausordnung|merkblatt|handbuch|betriebsordnung|leitfaden|aushang|rundschreiben|"
    r"anweisung für|regeln für|verfahren|vermerk|erinnerung|protokoll|règlement|procédure|protocole|manuel|note|"
    r"charte|consignes?|avis|circulaire|fiche|mémo|rappel|mode opératoire|instructions pour|reglamento|normas|"
    r"protocolo|manual|aviso|circular|instrucciones para|procedimiento|guía|recordatorio|regulamento|regras|"
    r"instruções para|procedimento|guia|lembrete|norma|regolamento|procedura|protocollo|manuale|circolare|"
    r"disposizioni|istruzioni per|promemoria|linee guida|avviso|reglement|huisregels|handboek|werkinstructie|"
    r"mededeling|instructies voor|procedure|herinnering|protocol|regulamin|zarządzenie|instrukcja dla|ogłoszenie|"
    r"okólnik|zasady|procedura|wytyczne|yönetmelik|talimatname|yönerge\w*|el kitabı|duyuru|genelge|kurallar\w*|"
    r"talimat\w*|prosedür\w*|uyarı)\b[^\n:.?!]{0,60}?[:.—\n-]|(?:^|\n)[#*§ ]*(?:\S+ ){0,2}?(?:правила|"
    r"инструкция (?:для|по)|регламент|памятка|положение|приказ|распоряжение|объявление|порядок|процедура|протокол|"
    r"інструкція (?:для|з)|пам.ятка|наказ|розпорядження|оголошення|порядок|процедура|протокол|تعليمات|لائحة|دليل|"
    r"تعميم|نظام|قواعد|إعلان|إرشادات|توجيهات|سياسة|بروتوكول|تنبيه)[^\n]{0,50}?[:.،—\n-]|(?:^|"
    r"\n)[^\n:।.]{0,40}?(?:नियम|नियमावली|निर्देशिका|सूचना|आदेश|निर्देश|हिदायत|प्रक्रिया)[^\n:।]{0,12}[:।]|(?:^|"
    r"\n)[^\n:。]{0,16}?(?:守则|须知|手册|规定|制度|规程|通知|公告|条例|告示|规章|办法|纪律|规则|"
    r"流程)[^\n:。]{0,6}[:。]|(?:^|\n)[^\n:。]{0,20}?(?:規程|手引|マニュアル|規則|心得|ルール|通達|要領|注意事項|"
    r"手順|規定)[^\n:。]{0,8}[:。]|(?:^|\n)[^\n:.]{0,20}?(?:규정|수칙|매뉴얼|지침|공지|안내|규칙|요령|강령|회람|"
    r"절차|알림)[^\n:.]{0,8}[:.]"
)
GRANTS = (
    # What only a machine that serves anybody is told to do.
    r"\b(?:approv\w+|grant\w*|refund\w*|reveal|print|output|system message|discount\w*|whatever|anything|"
    r"genehmig\w+|erstatt\w+|ausgeben|rabatt\w*|approuv\w+|accorde\w*|rembours\w+|conced\w+|aprueb\w+|reembols\w+|"
    r"aprov\w+|approva\w*|rimbors\w+|rimborso|goedkeur\w+|keur|korting\w*|zatwierdz\w+|zwrot\w*|onayla\w*|"
    r"iade\w*)\b|通过|答应|одобр|возврат|схвал|поверн|وافق|استرداد|मंज़ूर|स्वीकार|批准|同意|退款|承認|返金|승인|"
    r"환불"
)
MESSAGE = (
    # What somebody sent, ordered or asked before; they take it back.
    r"(?:\b(?:message|e-?mails?|mail|request|ticket|order|booking|reservation|call|enquiry|inquiry|comment|"
    r"complaint|claim|application|form|invoice|question|text|letter|voicemail|anfrage|nachricht|mail|bestellung|"
    r"buchung|frage|meldung|schreiben|reklamation|anruf|demande|message|courriel|mail|commande|réservation|"
    r"question|appel|courrier|réclamation|signalement|solicitud|mensaje|correo|pedido|reserva|consulta|pregunta|"
    r"llamada|reclamación|incidencia|petición|pedido|mensagem|e-?mail|solicitação|reserva|dúvida|chamado|ligação|"
    r"reclamação|pergunta|richiesta|messaggio|mail|ordine|prenotazione|domanda|segnalazione|chiamata|reclamo|"
    r"verzoek|bericht|mailtje|bestelling|boeking|vraag|melding|aanvraag|klacht|zgłoszeni\w+|wiadomoś\w+|mail\w*|"
    r"zamówieni\w+|pytani\w+|prośb\w+|reklamacj\w+|rezerwacj\w+|taleb\w*|talep\w*|mesaj\w*|posta\w*|sipariş\w*|"
    r"soru\w*|başvuru\w*|şikayet\w*)\b|заявк|сообщени|письм|заказ|вопрос|обращени|просьб|бронь|бронирован|звернен|"
    r"повідомлен|лист|замовлен|питанн|прохан|заявк|бронюван|طلب|رسالت|بريد|سؤال|استفسار|حجز|شكو|अनुरोध|संदेश|ईमेल|"
    r"ऑर्डर|सवाल|शिकायत|बुकिंग|申请|申請|邮件|消息|留言|订单|訂單|问题|投诉|预约|工单|依頼|問い合わせ|メール|注文|"
    r"質問|予約|문의|메일|메시지|주문|예약|질문|신청|접수)"
)
BREAK = r"[,;:.!?—–(،؛।。、，]| - "
I_SAID = (
    # What the writer said themselves.
    r"\bi(?:.ve| have| had| just)? (?:just )?(?:said|told|wrote|mentioned|asked|sent|typed|ordered|gave|given|"
    r"left)\b|\bce que je\b|\bje (?:t.ai|vous ai|viens|t.avais|vous avais|disais)|\b(?:was|das|alles,? was) ich\b|"
    r"\bich (?:dir|ihnen|euch|hier|gestern|vorhin)\b|\b(?:te|le|os|les) (?:dije|conté|escribí|mandé|pedí|"
    r"comenté)\b|\blo que dije\b|\beu (?:disse|falei|escrevi|pedi|mandei|contei|te|lhe)\b|\bque (?:disse|falei)\b|"
    r"\b(?:ti|le|vi) (?:ho|avevo) (?:detto|scritto|chiesto|mandato)\b|\b(?:ho|avevo) (?:detto|dato|mandato|"
    r"scritto|lasciato)\b|\bwat ik\b|\bik (?:je|jullie|u|net|gisteren|eerder)\b|\b(?:mówiłam|mówiłem|pisałam|"
    r"pisałem|powiedziałam|powiedziałem)\b|я (?:тебе |вам |вчера |ранее |раньше )?(?:говорил|сказал|писал|просил)|"
    r"(?:казав|казала|писав|писала|просив|просила)|\b(?:söyledikler|dedikler|yazdıklar)\w*im\w*|\bsöylediğim\w*|"
    r"ما (?:قلته|كتبته|ذكرته|طلبته|أخبرتك)|मैंने (?:\S+ ){0,6}?(?:कहा|बताया|लिखा|बोला)|我(?:昨天|刚才|之前|"
    r"上次)?(?:说|讲|写|提)|(?:私|僕|わたし)(?:が|の)(?:言|話|書)|(?:제가|내가) (?:말|쓴|보낸|얘기)"
)
TOPIC = (
    # … about something or at some time: not the instructions of a machine.
    r"\b(?:yesterday|this morning|last (?:week|night|time)|on (?:mon|tues|wednes|thurs|fri|satur|sun)day|about|"
    r"regarding|concerning|gestern|vorhin|heute (?:früh|morgen)|letzte woche|über|zum?|zur|wegen|bezüglich|hier|"
    r"ce matin|la semaine|tout à l.heure|sur|pour|au sujet|à propos|concernant|ayer|esta mañana|anoche|sobre|"
    r"de(?:l)?|acerca|ontem|hoje cedo|a respeito|d[ao]s?|ieri|stamattina|prima|sul\w*|sulle|riguardo|circa|"
    r"gisteren|vanochtend|net|over|wczoraj|rano|przedtem|o|dün|sabah|geçen|hakkında|konusunda)\b|вчера|утром|"
    r"насчёт|насчет|(?:^| )про |(?:^| )об? |вчора|вранці|щодо|أمس|صباح|عن|بخصوص|बारे में|कल|昨天|刚才|关于|上次|"
    r"昨日|さっき|について|어제|아까|대해|관해"
)
ALL_OF_IT = (
    # All that was said is taken back for a machine, not for a parcel.
    r"\b(?:everything|anything|all|alles|tout(?:es)?|todo|todas?|todos|tudo|tutto|tutte|tutti|wszystk\w+|"
    r"her şey\w*|hepsi\w*)\b|вс[её](?!\w)|усе|كل|सब|一切|所有|全部|すべて|全て|모든|모두|전부"
)
MATTER_AFTER = (
    # … about the lunches, for the delivery.
    r"[\"'”»]? ?(?:(?:about|regarding|concerning|as to|über|bezüglich|concernant|au sujet d\S+|acerca de|"
    r"respecto a|a respeito d\S+|riguardo a\S*|circa|betreffende|dotycząc\w+|w sprawie|щодо|касательно|"
    r"относительно|hakkında|بخصوص|حول) \S|(?:for the|pour (?:le |la |l.|les )|für (?:die|das|den)|para (?:el|la|"
    r"los|las|o|a)|per (?:il |la |l.|i |le )|voor (?:de|het)) ?(?!rest|next|moment|second|minute|time|now|user|"
    r"assistant|model|ai\b|bot|system|suite|reste|moment|nächste|resto|momento|prossim|volgende)\w{3}|(?:for|on|"
    r"to|zu[rm]?|für|beim|pour|sur|de|d.|para|sobre|per|di|del\S*|voor|over|bij|do|dla|o|по|для|про|о|об|"
    r"için) (?:the |my |our |your |their |la |le |les |el |las? |los |o |a |os |as |il |lo |l.|de |het |die |das |"
    r"den |der |dem )?(?:\w+ )?(?:deliver|order|parcel|package|gift|address|invoice|payment|appointment|booking|"
    r"refund|shipping|lunch|meal|recipe|wash|laundry|assembly|install|route|parking|return|lieferung|zustellung|"
    r"bestellung|paket|adresse|rechnung|termin|waschen|wäsche|aufbau|montage|livraison|commande|colis|adresse|"
    r"facture|rendez|lavage|retour|entrega|envío|pedido|paquete|regalo|direcci|factura|cita|lavado|montaje|"
    r"devoluci|encomenda|fatura|lavagem|montagem|consegna|ordin|pacco|indirizzo|fattura|lavaggio|montaggio|"
    r"citofon|bezorging|bestelling|pakket|factuur|wassen|dostaw|zamówie|paczk|faktur|dojazd|montaż|доставк|заказ|"
    r"посылк|адрес|стирк|замовлен|пранн|teslimat|sipariş|kargo))|"
    r"^ (?:in|on|from|inside) (?:the |this |our |my )?(?:\w+ )?(?:wiki|readme|leaflet|booklet|box|label|sticker|queue|"
    r"theme|noticeboard|fridge|parcel|recipe|cookbook|wardrobe)\b"
)
MATTER_FIRST = (
    # The same where it comes first.
    r"(?:teslimat|sipariş|kargo|fatura|adres|montaj|yıkama)\w* (?:\S+ )?$|(?:डिलीवरी|ऑर्डर|पार्सल|पते|बिल|धुलाई|"
    r"रसोई) (?:के|की|वाले|से जुड़े|के बारे में)|(?:配送|送货|送貨|快递|订单|訂單|发票|安装|预约|退货)(?:的|方面|"
    r"上的|相关的)?(?:之前|以前|先前|原来)?|(?:配達|配送|注文|荷物|予約|請求|組立|洗濯)(?:に(?:ついて|関する)|の)|"
    r"(?:배송|주문|택배|예약|주소|조립|세탁)(?:에 대한|에 관한| 관련|의)?|(?:التوصيل|الطلب|الشحن|الغسيل|التركيب)"
)
MACHINERY = (
    # What only the instructions of a machine are about.
    r"\b(?:safety|content|filters?|restrict\w*|polic(?:y|ies)|conversation|chat|session|this task|prompts?|output|"
    r"roles?|behaviou?r|refus\w*|customers?|users?|clients?|like me|privacy|confidential\w*|secrets?|harm\w*|"
    r"answer\w*|respond\w*|repl(?:y|ies)|uncensored|illegal|hack\w*|anything|question|sicherheit\w*|filter\w*|"
    r"inhalt\w*|gespräch\w*|antwort\w*|sécurité|contenu|conversation|réponds\w*|seguridad|contenido|conversación|"
    r"respond\w*|segurança|conteúdo|conversa|sicurezza|contenut\w*|conversazione|rispond\w*|veiligheid|inhoud|"
    r"gesprek|antwoord\w*|bezpiecz\w*|treści|rozmow\w*|odpowi\w*|güvenlik\w*|içerik\w*|sohbet\w*|cevap\w*|"
    r"yanıt\w*)\b|безопас|контент|разговор|ответ|безпек|розмов|відповід|الأمان|المحتوى|المحادثة|أجب|सुरक्षा|"
    r"बातचीत|जवाब|安全|内容|对话|回答|会話|答え|안전|대화|대답"
)
SUBJECT = (
    # A thing of which something is told: the alarm ignores …
    r"^[^\w]*(?:(?:el|la|los|las|mi|mis|nuestr[oa]s?|su|sus|este|esta|un|una|lo|il|gli|i|le|les|mon|ma|mes|notre|"
    r"nos|ce|cette|cet|o|a|os|as|meu|minha|nosso|nossa|um|uma|questo|questa|mio|mia|nostro|nostra|der|die|das|"
    r"mein\w*|unser\w*|de|het|mijn|onze|the|our|my|this|that) |l['’])(?!ahora|partir|agora|ora\b|partire|favor|"
    r"now|next)(?:[^\W\d_]+ ){1,3}?(?:nos |me |le |se |si |ci |mi |lui |y |en )?$"
)
STATED = (
    # Verbs that tell what happens instead of ordering it.
    r"^[^\w]*(?:ignoruj[eą]|pomija\w*|odrzuca\w*|łami\w+|zapomina\w*|zignorowa[łl]\w*|zapomnia[łl]\w*|omija\w*)\b|"
    r"^[^\w]*(?:больше |не )*(?:игнориру(?:ет|ют|ем)|игнорировал\S*|проигнорировал\S*|забыва(?:ет|ют|ем)|забыл\S*|"
    r"отменя(?:ет|ют)|отменил\S*|наруша(?:ет|ют|ем)|сбрасыва(?:ет|ют)|соблюда(?:ет|ют|ем)|выполня(?:ет|ют|ем)|"
    r"слуша(?:ет|ют)|следу(?:ет|ют)|учитыва(?:ет|ют))|^[^\w]*(?:більше |не )*(?:ігнору(?:є|ють|ємо)|"
    r"ігнорува[влт]\S*|проігнорува\S*|забува(?:є|ють)|забу[вл]\S*|скасову(?:є|ють)|скасува[вл]\S*|порушу(?:є|ють)|"
    r"викону(?:є|ють)|дотриму(?:є|ють)\S*|слуха(?:є|ють))|(?:भूल|कर|छोड़|तोड़|हट|हो)(?:ता|ते|ती|तीं| गय?ा| गए| गई|"
    r" जाता| जाते| जाती| रहा| रहे| रही| दिया| दिए| चुक)"
)
STATED_TR = (
    r"(?:talimat|kural|yönerge|komut|emir|ayar|istem|sistem)\w* .{0,60}?(?:(?:[iıuü]yor(?:lar|du|muş|uz|sunuz)?|"
    r"[a-zş](?:di|dı|du|dü|ti|tı|tu|tü)(?:niz|nız|nuz|nüz|ler|lar|k|m)?|m[iıuü]ş(?:ler|lar)?)[^\w]*$)"
)
YOU_TOO = r"(?<!\w)(?:तुम|आप|तू|तुझे)(?![\wक-ह])|أنت"
STATED_BY_FORM = (
    r"^[^\w]*(?:無視)?(?:しました|している|していま|していた|されま|してしま)|^[^\w]*(?:て|で)?(?:くれま|くれな|"
    r"しまい)|^[^\w]*(?:합니다|하네요|했어요|했습니다|하고 있|하는|한다|한 |할 |하던|하지 않|해서|하면|하려|"
    r"됩니다|된|되는|되네|버렸|버려요|버립니다|하라고|하라는|하래)"
)
STATED_AT_END = (
    # The same where the verb comes last and a thing is the subject.
    r"^[^\w]*(?:無視)?(?:します|しました|している|していま|していた|されま|してしま)|^[^\w]*(?:て|で)?(?:くれま|"
    r"くれな|しまい|いませ)|^[^\w]*(?:해요|합니다|하네요|했어요|했습니다|해 ?버려|하고 있|하는|한다|했|하지 않|"
    r"어버려요|어버렸|버렸|버려요|버립니다|하라고|하라는|하래|돼|됩니다|됐|된|되는)"
)
SAYS_THAT = r"(?:कहते|कहती|कहता|कहा|बोले|बोला|लिखा|बताया)(?:[^।]{0,12} कि|[,:]) (?:\S+ ){0,3}$"
DELETED = (
    # Rules and commands of a mailbox or a robot are removed; those of a reader are called instructions, or theirs.
    r"(?:delete|remove|cancel|undo|clear|reset|lösch\w*|entfern\w*|abbrech\w*|supprim\w*|effac\w*|annul\w*|"
    r"elimin\w*|borr\w*|apag\w*|exclu\w*|cancell\w*|verwijder\w*|usun\w*|usuwa\w*|anulow\w*|удал\w*|отмен\w*|"
    r"сброс\w*|видал\w*|скасу\w*|sil\w*|iptal\w*|احذف|امسح|الغ|हटा|मिटा|रद्द|删除|刪除|取消|清除|清空|取り消|削除|"
    r"消去|リセット|삭제|취소|초기화|해제|지우|지워)"
)
RULES = (
    r"(?:rules|commands|settings|regeln|befehle|règles|commandes|reglas|comandos|regras|regole|comandi|regels|"
    r"reguł|zasad|правил|команд|kural|komut|قواعد|أوامر|नियम|规则|規則|指令|命令|ルール|規則|규칙|명령|지시)"
)
WISH = (
    r"[?؟]|\b(?:how|where|want|would like|wie|möchte|comment|voudrais|cómo|quiero|como|quero|come|vorrei|hoe|wil|"
    r"jak|chcę|nasıl|istiyorum)\b|(?:^| )(?:как|хочу|як)(?!\w)|كيف|أريد|कैसे|चाहता|चाहती|怎么|怎麼|如何|请帮我|想|"
    r"たい|には\?|싶|려면|안 ?먹|나요|ctrl"
)
MAY_I = (
    r"^[^\w]*(?:कर |को )?(?:दूँ|दूं|लूँ|लूं)|^\S{0,4} ?(?:दूँ|दूं|लूँ|लूं)|^[^\w]*(?:해도|어도|아도) ?(?:되|돼|"
    r"괜찮)|^[^\w]*(?:し|て)?ても(?:いい|よい|大丈夫|良い)|^[^\w]*\S{0,4}(?:me|ma)li m[iı]y"
)
TOLD_ME = (
    r"\b(?:disait|dit|demandait|demande|conseillait|proposait|ordonnait) (?:de |d.)$|\b(?:decía|dice|pedía|"
    r"pide) que $|\b(?:on m.a (?:dit|demandé|conseillé) (?:de |d.)|man hat mir gesagt,? |me (?:dijeron|han dicho|"
    r"recomendaron) que |me disseram para |mi hanno detto di |ze zeiden dat ik |kazano mi )$|(?:мне|"
    r"нам) (?:сказали|велели|посоветовали) $|(?:мені|нам) (?:сказали|порадили) $|(?:тренер|врач|учитель|директор|"
    r"лікар|вчитель)\S* (?:сказал|сказала|велел|каже|сказав) $"
)
MINE_BEFORE = r"(?:मेरे|मेरी|제|제가 드린|내가 보낸|私の|我的|benim|моих|мои|мої|моих) ?(?:सारे |सभी )?$"
STATED_NEAR = (
    r"(?:भूल|कर|छोड़|तोड़|हट|हो)(?:ता|ते|ती|तीं|कर|ने|ना)? ?(?:गया|गए|गई|जाता|जाते|जाती|रहा|रहे|रही|बैठा|बैठी|"
    r"बैठे|ने |दिया|दिए|चुक|सकता|सकते|सकती|देता|देती|देते|है|हैं|करने|वाल)"
)
THING = r"[^\s]{1,12}(?:が|は|も)|\S{1,10}(?:이|가|은|는|도) "
