"""The words of those who talk about what a machine, a helper or a note does; written as people write, folded later."""

from __future__ import annotations

TELLING = (
    # It keeps ignoring …: of a thing that does so, no order.
    r"\b(?:keeps|kept|starts|started|stops|stopped|insists on|(?:is|was|are|were) (?:always|still|constantly|often|"
    r"suddenly|just)) $"
)
CAUSED = (
    # … make it repeat the words above: somebody asks how to have a thing do it.
    r"\b(?:how|why|can|could|does|will) [^.!?\n]{0,60}?\b(?:make|makes|have|let|lets|get|stop|prevent|keep) (?:it|him|"
    r"her|them|the (?!assistant|ai\b|bot|chat|model|llm)\w+) (?:to |from )?$"
)
MACHINE_DOES = (
    # A machine of the writer's does it.
    r"\b(?:my|our) (?:\w+ ){0,2}?(?:bot|assistant|chat ?bot|ai|agent|robot|model) (?:\w+ly |always |still |just |also |"
    r"now )?(?:keeps? \w+ing|[a-z]+s)\b|\b(?:unser|mein|notre|mon|nuestro|mi|nosso|meu|nostro|mio|onze|mijn|nasz|mój) "
    r"(?:\w+ ){0,2}?(?:chat-?bot|bot|assistent|assistant|asistente|assistente|asystent|robot|agent|ki|ia) (?!soll|muss|"
    r"doit|debe|deve|moet|musi)[^\W\d_]{3,}"
)
HELPERS = (
    # People who are called assistants.
    r"\b(?:(?:teaching|dental|nursing|shop|sales|flight|care|health ?care|medical|legal|kitchen|stage|research|"
    r"laboratory|lab|classroom|library|veterinary|production) assistants?|assistante?s? (?:maternel\w*|social\w*|"
    r"dentaires?|juridiques?|médica\w+|de direction|familia\w+|parlementaires?|de vie)|assistent\w* der "
    r"geschäftsf\w+|(?:zahn\w*|pflege|arzt|regie|büro)assistent\w*|asistentes? (?:social\w*|de vuelo|dental\w*|"
    r"administrativ\w*)|assistentes? (?:socia\w+|de bordo|administrativ\w*)|assistent\w (?:social\w|di volo|di "
    r"laboratorio|amministrativ\w)|(?:tandarts|apothekers|directie)assistent\w*|asystent\w* (?:stomatolog\w*|"
    r"rodzin\w*|medyczn\w*))\b"
)
SHOWN_TALK = (
    # A talk that was had before is shown.
    r"\b(?:transcript|chat ?log|chat history|your chat (?:told|said|wrote)|your bot (?:told|said|wrote)|conversation "
    r"from|chatverlauf|protokoll|transcription|historique|transcripción|historial|transcrição|trascrizione|cronologia|"
    r"gespreksverslag|zapis rozmowy|sohbet geçmişi)\b|переписк|листуванн|سجل المحادثة|चैट का रिकॉर्ड|聊天记录|"
    r"チャット履歴|대화 기록"
)
WHICH_HOLDS = (
    r"\b(?:which|who|what) (?:of \w+ )?is (?:right|true|correct)|\b(?:is|was) (?:that|this|it) (?:right|true|correct|"
    r"still)|\b(?:was|welche\w*|wer) stimmt|\bqui a raison|\bqué es (?:cierto|verdad)|\bquién tiene razón|\bo que está "
    r"certo|\bchi ha ragione|\bwat klopt|\bco jest prawdą|\bhangisi doğru|что (?:верно|правда)|що (?:правда|вірно)|"
    r"أيهما صحيح|कौन सा सही|哪个(?:对|是对)|どちらが正しい|어느 (?:쪽이|게) 맞"
)
I_GAVE = (
    # The writer's own instructions, in languages where that comes first.
    r"मैंने (?:\S+ ){0,4}$|(?:私|僕|わたし)(?:が|の)\S{0,8}$|(?:제가|내가) (?:\S+ ){0,3}$|我(?:昨天|刚才|之前|上次|早上)?"
    r"(?:给|发|写|跟|对)?\S{0,3}$"
)
GIVEN = r"दिए|दिये|दिया|भेजे|भेजी|लिखे|出した|渡した|送った|伝えた|드린|보낸|남긴|말한|给|发|写|说"
CAKES = (
    # … about what is made or brought for the writer.
    r"केक|डिलीवरी|ऑर्डर|पार्सल|पता|बुकिंग|ケーキ|配達|注文|予約|花束|케이크|배송|주문|예약|꽃|蛋糕|订单|送货|预订|花"
)
REDACTED = (
    # Secrets are left out: … with passwords removed.
    r"^s? (?:(?:are |is |were |first |all )*(?:removed|redacted|masked|blanked|stripped|left out|hidden|anonymi[sz]ed|"
    r"crossed out)|(?:vorher )?(?:entfernt|geschwärzt|unkenntlich)|(?:masqués?|supprimés?|effacés?|anonymisés?)|"
    r"(?:ocultad|eliminad|tachad|borrad)[oa]s?|(?:removid|ocultad|apagad)[oa]s?|(?:rimoss|oscurat|cancellat)[aei]|"
    r"verwijderd|onleesbaar|usunięt\w+|zamazan\w+)\b|^\S{0,3} (?:удален|скрыт|замазан|видален|прихован)"
)
COMMENT = r"(?:^|\n) ?(?:#+|//+|/\*+|\*|--|<!--|;+) ?(?:\w+(?:\(\w+\))?: )?(?:[\w-]+ ){0,2}$"
NOTED = r"(?:#|//|/\*|<!--|--|\*) ?(?:todo|fixme|xxx|hack)(?:\([\w .@-]{1,24}\)| ?:)"
CODE_BESIDE = (
    r"(?:^|\n)[^\n]{0,80}(?:[;{}]|\) ?:) ?(?:\n|$)|\b\w+(?:\.\w+)+ ?\(|\b(?:def|function|class|return|import) "
    r"\w+ ?[(:{;]"
)
