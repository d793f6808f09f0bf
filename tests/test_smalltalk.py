"""Small talk is told from content in many languages, by a grammar over phrases."""

from __future__ import annotations

import pytest

from afterturn.smalltalk import is_small_talk, small_talk_prefix

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
