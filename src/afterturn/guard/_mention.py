"""Weighs whether a text speaks about words rather than saying them: asks, reports, translates, teaches, tests.

The stems are those of people who show an attack to somebody: whoever got one, blocked one, corrects its spelling or
puts it on a slide. They are looked up word by word, so that the cost does not grow with their number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from afterturn.guard._fold import fold

_STRONG = """
wrote writes written typed types texted texting posted received heard says said saying reads= contains
contained containing asked asks shouted dictated pasted copied scribbled quoted quoting quote= quotes= showed
shows shown spamming spammed replied called named titled entitled stands mentions mentioned appears appeared
caught noticed tale= fairy lyric song= songs= poem cartoon meme clue crossword riddle puzzle dreamt screenshot
check= agreement grammatical natural= funny= answered works= error errors fails complied saw= keeps sends
happened translat mean= means= meant= meaning grammar comma= commas= spell spelling spelled punctuat pronounc
capital apostroph hyphen imperative verb verbs polite formal explain explanation difference joke jokes joking
funny hilarious amus laugh prank classif rephras proofread subtitle paraphras defin glossary categor slang
idiom headline catchy wonder curious worry worried dangerous danger risky harmless legal supposed illustrat
demonstrat describ attack injection jailbreak hack hacked hacker hacking malicious suspicious phish scam fraud
spam block blocks blocked blocking flag= flags= flagged flagging filter= filtered refuse refused refusal
reject denied detect moderat security vulnerab exploit threat trick tricked manipulat abus incident prohibited
disallowed forbidden banned regex pattern assert expect dataset classifier pentest strange weird odd= creepy
article lesson course= courses= slide slides homework
attempt attempts favourite comic comics exercise essay thesis paper= papers= book= books=
chapter novel film movie documentary podcast radio news newspaper magazine blog forum reddit youtube video
lecture seminar workshop training= teacher student pupil school exam quiz journalist research study= studies
court handbook textbook presentation conference webinar newsletter poster whiteboard t-shirt mug sticker tweet
tweets schreibt schrieb geschrieben gesagt sagte sagt= stand= steht= lautet hiess heisst gelesen gehort
bekommen erhalten getippt gemeldet bedeut ubersetz erklar unterschied grammati komma= korrigier rechtschreib
witz= lustig gefahrlich verdachtig seltsam komisch meldet melden antwortet reagiert fehlermeldung funktionier
nutzer wahr= ernst angriff angreifer abgelehnt verweigert erkannt blockier gesperrt filter sicherheit betrug
schulung folie kurs unterricht lehrer schuler artikel aufsatz facharbeit buch= kapitel roman= zeitung vortrag
beispiel zitat zitier plakat eingabe meldung protokoll prufung hausaufgabe stimmt ecrit ecrivait ecrire dit=
disait demande= demandait recu= recois envoye tape= tapant tapait lu= vu= affich contient signifie veut=
traduire tradui explique expliqu grammair virgule orthograph corrig faute blague plaisant drole danger bizarre
etrange suspect attaque pirate bloque refuse filtre detect securite arnaque fraude formation diapo cours=
eleve prof= professeur article memoire= livre= chapitre roman journal exemple citation cite= phrase affiche
sous-titre these reportage escrib escrito dijo dice= decia pregunt recib recibi envio enviaron mand= mando
tecleo leyo lei= pone= ponia aparec contiene signific traduc explic gramatic coma= ortograf corrig broma
chiste gracios peligros rar[oa] extran sospechos ataque atacante pirata bloque rechaz filtro detect segurid
estafa curso clase= alumn profesor articulo tesis libro capitulo novela periodico noticia ejemplo cita= frase
cartel diapositiva puntuad diferencia escrev escrit[oa] disse dizia diz= perguntou receb mand= mandou digit
leu= li= apare contem signific traduz traducao explic gramatic virgula ortograf corrig revis piada engracad
perig estranh esquisit suspeit ataque atacante bloque recus filtro detect seguranc golpe curso aula= aluno
professor artigo tese= livro capitulo romance jornal noticia exemplo cita frase cartaz slide lenda quadrinh diferenca
crase mestrado scritt scriv scrisse disse dice= diceva chies chied ricevut mandat inviat digitat letto= appar
contien signific traduz traduc spieg grammatic virgola ortograf correg corregg scherz divert pericol stran[oa]
sospett attacc pirata bloccat blocca= rifiut filtro rilev sicurezza truffa corso= lezion alunn professor
insegnant articolo tesi= libro capitolo romanzo giornale notizia esempio citazion frase diapositiva locandina
fumett frasi aggressor
cartello congiuntiv differenz recita schreef geschreven schrijft zei= zegt= vroeg kreeg gekregen ontvang
ontving stuurde typte staat= stond= gelezen gehoord beteken bedoel vertal vertaal leg= uitleg grammatic komma=
spelling corrig grap= grappig gevaarlijk vreemd raar= verdacht aanval hacker geblokkeerd geweiger filter
herken detect beveilig oplicht cursus les= lessen leerling leraar artikel scriptie boek= hoofdstuk roman=
krant voorbeeld citaat zin= zinnetje poster folder= dia= verschil column melding invoer gebruiker napisal
napisa pisze powiedzial mowi= mowil zapytal dostal otrzymal wyslal wyslan przeslal wpisal przeczyt czytal
widac pojawi zawier znacz tlumacz przetlumacz wyjasn gramaty przecin pisown popraw zart= zartem smieszn
niebezpiecz dziwn podejrzan atak haker zablokow odmow odrzuc filtr wykry bezpieczen oszust szkoleni lekcj
ucze[nń] nauczyciel artykul prac[aeę]= ksiazk rozdzial powiesc gazet przyklad cytat zdani= zdaniu zdanie zwrot
plakat slajd roznic raport prob= probka podrecznik licencjack написал пишет писал сказал говорит спросил
получил прислал отправил ввел ввёл прочита увидел виде содерж значит означа перевод перевести переведи объясн
граммат запят орфограф исправ шутк смешн опасн странн подозрит атак хакер взлом заблокир блокир отказ отклон
фильтр обнаруж безопасн мошен курс= курсе урок учени учител стать книг глав[аеуы]= роман= газет новост пример
цитат фраз плакат слаид презентац разниц сообщени модерац попытк строк предложени студент написа пише= писав
сказа каже= запитав отримав надіслав надійшов увів прочита побачив бачи містить означа переклад перекла поясн
грамат кома= орфограф виправ жарт смішн небезпеч дивн підозр атак хакер злам заблок блок= відмов відхил фільтр
виявл безпек шахра курс= урок учен учител статт книг розділ роман= газет новин приклад цитат фраз плакат слаид
презентац різниц повідомленн підручник вправ репортаж лист= листі студент речення yazmis yazdi yazan yazi
yazildi yaziyor dedi= demis diyor sordu gonderdi gonderil geldi= aldim= okudum okudu gordum goruntu icer anlam
cevir ceviri acikla dilbilg virgul imla duzelt saka= komik tehlike garip tuhaf supheli saldir hacker engelle
reddet filtre tespit guvenlik dolandir egitim ders= dersi odev ogretmen ogrenci makale tez= kitap bolum roman
gazete haber ornek alinti cumle ifade afis slayt fark= ingilizce girdi kayit
"""

_WEAK = """
question= design king= phrase sentence wording message words= word= line= lines= utterance example examples
comment review prompt input mail email mails emails sms chat transcript log= logs= ticket title heading slogan
string query caption subject note= sign= thread post= posts= signature footer payload sample excerpt passage
paragraph quotation expression got= came= found told tells sent text= texts= phrases sentences test= tests=
testing tested unit policy rule= report reports reported reporting someone somebody people attacker user=
users= customer visitor guest colleague nephew brother sister daughter son= boss friend neighbour neighbor
kid= kids= boy= girl= manager consultant researcher satz= worte= nachricht text= wort= zeile kunde kundin
kollege jemand sohn= tochter chef= freund mail mot= mots= message texte client collegue quelqu fils= fille
ami= courriel mel= ligne utilisateur mensaje texto palabra linea cliente alguien hijo= hija= jefe amig correo
usuario visitante mensagem texto palavra linha cliente alguem filho= filha= chefe amig usuario visitante
messaggio testo parol riga= cliente qualcuno figli[oa] capo= amic utente bericht tekst woord regel= klant
iemand zoon= zoontje dochter baas= vriend collega wiadomos tekst slow[oa] linij klient ktos syn= corka szef
znajom koleg uzytkownik сообщ текст слов[оаеу] строк[аи] клиент покупател кто-то кто= сын= дочь начальник друг
коллег пользовател повідом текст слов[оау] рядок клієнт хтось син= дочка начальник друг колег користувач mesaj
metin kelime satir musteri biri= birisi ogl kiz= patron arkadas kullanici
"""

_STRONG_PARTS = """
كتب تقول يقول قال وصلت ارسل لي سال قرا ظهر يحتوي معنى تعني يعني ترجم شرح فرق نحو اعراب مزح مضحك خطير غريب
مشبوه هجوم مهاجم مخترق حظر رفض مرشح كشف امن احتيال دورة درس طالب معلم مقال رسالة كتاب فصل رواية صحيفة خبر مثال
اقتباس عبارة جملة ملصق شريحة عرض اختبار लिखा लिखता भेजा मिला पूछा पढ़ा सुना दिखा मतलब अर्थ अनुवाद समझा अंतर
व्याकरण मज़ाक खतरनाक ख़तरनाक अजीब संदिग्ध हमल हैकर ब्लॉक अस्वीकार फ़िल्टर सुरक्षा धोखा प्रशिक्षण पाठ छात्र
शिक्षक लेख किताब पुस्तिका अध्याय अखबार अख़बार समाचार उदाहरण उद्धरण वाक्य पंक्ति पोस्टर स्लाइड टेस्ट जाँच 写了
写道 写着 发了 发来 收到 说： 说: 里说 提到 看到 出现 意思 翻译 翻成 译成 解释 区别 语法 标点 错别字 玩笑 好笑
危险 奇怪 可疑 攻击 黑客 拦截 屏蔽 拒绝 过滤 检测 安全 诈骗 培训 课件 课程 课堂 学生 老师 文章 论文 书里 小说
报纸 新闻 报道 例子 示例 引用 这句 句话 一句 海报 幻灯片 测试 上报 正则 注入 越狱 寫了 發了 收到 翻譯 解釋
攻擊 攔截 拒絕 書いて 書かれ 書き込 届き 届い 送られ 送って 受け取 言われ 見ました 見かけ 意味 翻訳 英訳 訳す
訳し 説明 違い 文法 読点 冗談 面白 危険 怪しい 不審 変な 攻撃 ハッカー ブロック 拒否 断って 弾かれ フィルタ
検知 検出 安全 詐欺 研修 講座 授業 生徒 先生 記事 論文 小説 新聞 ニュース 例文 例と 引用 という 自然です 掲示
スライド テスト との入力 履歴 教材 썼 쓴 적힌 적혀 보냈 받았 왔어요 라는 라고 뜻 번역 옮기 설명 차이 문법
맞춤법 농담 웃 위험 이상한 수상 공격 해커 차단 거절 막히 필터 탐지 보안 사기 교육 강의 수업 학생 선생 기사
논문 소설 신문 뉴스 예시 인용 문장 문구 경고 오류 로그 포스터 슬라이드 테스트 기록
"""

_WEAK_PARTS = """
زبون عميل شخص احد مستخدم زميل زائر نص كلمات ग्राहक किसी उपयोगकर्ता सहकर्मी संदेश शब्द 顾客 客户 用户 有人 同事
朋友 客人 消息 文字 顧客 客戶 お客 利用者 ユーザー 誰か 同僚 友人 メッセージ 文章 손님 고객 사용자 누가 누군가
동료 친구 메시지
"""

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_CHOICE = re.compile(r"^(.*)\[(\w+)\](=?)$")


def _folded(text: str) -> str:
    return "".join(fold(char) for char in text.casefold())


def _spelled(stem: str) -> Iterable[str]:
    choice = _CHOICE.match(stem)
    return [choice[1] + char + choice[3] for char in choice[2]] if choice else [stem]


def _stems(listed: str, weight: int) -> dict[str, int]:
    return {stem: weight for entry in _folded(listed).split() for stem in _spelled(entry)}


@cache
def _words() -> tuple[dict[str, int], dict[str, int], tuple[int, ...]]:
    """Gives the whole words, the beginnings of words and the lengths of these."""
    words = {**_stems(_WEAK, 1), **_stems(_STRONG, 2)}
    whole = {stem[:-1]: weight for stem, weight in words.items() if stem.endswith("=")}
    begun = {stem: weight for stem, weight in words.items() if not stem.endswith("=")}
    return whole, begun, tuple(sorted({len(stem) for stem in begun}))


@cache
def _parts() -> tuple[tuple[str, int], ...]:
    """Gives what is looked for anywhere: words of languages that write without blanks or glue articles on."""
    return tuple({**_stems(_WEAK_PARTS, 1), **_stems(_STRONG_PARTS, 2)}.items())


def speaks_of_words(text: str, least: int) -> bool:
    """Says whether a normalised text speaks about words: asks, reports, translates, teaches, tests.

    Args:
        text: What stands around the words in question.
        least: How much of that is enough: a word of telling, teaching or guarding is two, another one is one.
    """
    found: set[str] = set()
    total = 0
    for match in _WORD.finditer(text):
        word = match.group()
        stem, weight = _stem(word)
        if weight and stem not in found:
            found.add(stem)
            total += weight
            if total >= least:
                return True
    if text.isascii():
        return False
    for part, weight in _parts():
        if part in text:
            total += weight
            if total >= least:
                return True
    return False


def _stem(word: str) -> tuple[str, int]:
    whole, begun, lengths = _words()
    weight = whole.get(word)
    if weight is not None:
        return word, weight
    for length in lengths:
        if length > len(word):
            break
        weight = begun.get(word[:length])
        if weight is not None:
            return word[:length], weight
    return word, 0
