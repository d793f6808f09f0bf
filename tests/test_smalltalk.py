"""Small talk is told from content in many languages, by a grammar over phrases."""

from __future__ import annotations

import pytest

from afterturn.smalltalk import is_small_talk, small_talk_certainty, small_talk_prefix

SMALL_TALK = """
hello
Hellooo 👋
Hey there, how are you?
Good morning John
Ok great, thanks a lot, bye!
Hi, can you help me?
Hello, my name is Angela
good morning my name is angela
one sec, the doorbell
Sorry, wrong window. Have a nice day!
Bonjour Madame, comment allez-vous ?
Merci beaucoup pour votre aide, bonne journée !
D'accord, c'est noté. Au revoir
J'ai une question
Guten Tag
Vielen Dank für die schnelle Hilfe, schönen Tag noch!
Guten Morgen Frau Müller
Hat sich erledigt, danke
¡Hola! ¿Qué tal?
Muchas gracias por tu ayuda, hasta luego
Olá, tudo bem?
Muito obrigado pela ajuda, tenha um bom dia
Ciao, come stai?
Grazie mille per l'aiuto, buona giornata
Dank je wel, fijne dag nog
Goedemorgen, ik heb een vraag
Dzień dobry
Dziękuję bardzo za pomoc, do widzenia
السلام عليكم ورحمة الله وبركاته
شكراً جزيلاً على المساعدة
您好，请问在吗？
谢谢你的帮助，再见！
王先生您好
こんにちは
はい、わかりました。ありがとうございます！
田中さん、こんにちは
Спасибо большое!
감사합니다
👍🙏
...
""".strip().splitlines()

CONTENT = """
hello, where is my order?
thanks, and how do I return the shoes
Thanks but it still does not work
My name is Angela and I want to book a room
how do I change my password?
I need help with my invoice
how are you calculating the fee?
thank you letter template
hello, I am stuck
one moment, my order is 4711
4711
Bonjour, je voudrais annuler ma commande
Hallo, Kündigung bitte
Danke, aber die Rechnung ist falsch
Gracias, ¿y el reembolso?
Olá, quero cancelar
Ciao, vorrei un rimborso
Hoi, waar is mijn pakket
Dzień dobry, gdzie jest moja paczka
مرحبا، أين طلبي؟
你好，我想退货
谢谢，但是还没收到
こんにちは、返品したいです
""".strip().splitlines()


@pytest.mark.parametrize("text", ["", "  \n", *SMALL_TALK])
def test_a_message_covered_by_phrases_is_small_talk(text: str) -> None:
    assert is_small_talk(text)


@pytest.mark.parametrize("text", CONTENT)
def test_one_word_of_content_makes_a_message_content(text: str) -> None:
    assert not is_small_talk(text)


def test_a_long_message_of_phrases_is_answered_at_once() -> None:
    assert is_small_talk("hi " * 50)
    assert not is_small_talk("hi " * 50_000)


def test_the_greeting_at_the_start_of_a_message_is_measured() -> None:
    assert small_talk_prefix("Guten Morgen, wo ist es?", kinds=frozenset({"greeting"})) == len("Guten Morgen")
    assert small_talk_prefix("Wo ist es?", kinds=frozenset({"greeting"})) == 0


CONVERSATIONS: list[tuple[bool, list[str], list[str]]] = [
    (True, ["heyy anybody home?"], ["Hello! Yes, how can I help?"]),
    (True, ["thx a bunch, u rock!!"], ["You're welcome! Have a great day."]),
    (True, ["Vielen lieben Dank, Sie haben mir sehr geholfen!"], ["Sehr gerne! Einen schönen Tag noch."]),
    (True, ["Je vous remercie infiniment, passez une belle journée"], ["Avec plaisir, bonne journée à vous !"]),
    (True, ["muchisimas graciass, un saludo"], ["¡De nada! Que tenga un buen día."]),
    (
        True,
        ["buongiorno", "no niente, grazie lo stesso"],
        ["Buongiorno! Come posso aiutarla?", "Va bene, buona giornata!"],
    ),
    (True, ["teşekkür ederim, iyi günler"], ["Rica ederim, iyi günler dilerim!"]),
    (True, ["спасибо большое, до свидания"], ["Пожалуйста! Хорошего дня!"]),
    (True, ["ありがとうございました！"], ["どういたしまして。またお気軽にどうぞ。"]),
    (True, ["谢谢你，再见"], ["不客气，祝您愉快！"]),
    (False, ["hi", "refund?"], ["Hello!", "Which order is it about?"]),
    (False, ["thanks! and when does it arrive?"], ["On Friday."]),
    (False, ["Karte gesperrt"], ["Ich sehe nach. Wie lautet Ihre Kundennummer?"]),
    (False, ["bonjour, mon colis est abîmé"], ["Je suis désolée, pouvez-vous m'envoyer une photo ?"]),
    (False, ["no puedo entrar en mi cuenta"], ["¿Qué mensaje le aparece?"]),
    (False, ["wachtwoord vergeten"], ["U kunt het hier opnieuw instellen."]),
    (False, ["环球影城的票怎么退"], ["请提供订单号。"]),
    (False, ["the doorbell you sold me is broken"], ["I am sorry. Is it still under warranty?"]),
    (False, ["Olá, onde está minha encomenda?"], ["Vou verificar para você."]),
    (False, ["你好，我的包裹在哪里？"], ["请稍等，我来查一下您的包裹。"]),
    (False, ["我想退款"], ["Let me check."]),
    (False, ["荷物はどこですか？"], ["Let me check."]),
    (False, ["환불해 주세요"], ["Let me check."]),
    (False, ["مرحبا، أين طردي؟"], ["Let me check."]),
    (False, ["Xin chào, gói hàng của tôi ở đâu?"], ["Let me check."]),
    (False, ["Quero um reembolso"], ["Let me check."]),
    (False, ["vorrei disdire"], ["Certo, controllo."]),
    (False, ["card blocked"], ["Sorry."]),
    (False, ["word " * 80], ["Hello!"]),
]


@pytest.mark.parametrize(
    ("expected", "customer", "agent"), CONVERSATIONS, ids=[row[1][0][:30] for row in CONVERSATIONS]
)
def test_a_conversation_is_small_talk_only_if_it_holds_no_matter(
    expected: bool, customer: list[str], agent: list[str]
) -> None:
    assert (small_talk_certainty(customer, agent) > 0) is expected


def test_a_conversation_without_a_message_holds_no_matter() -> None:
    assert small_talk_certainty([], ["Hello!"]) == 1
    assert small_talk_certainty(["  "], []) == 1
