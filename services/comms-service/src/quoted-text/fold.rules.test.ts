import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { fold } from './fold.rules.ts';

const answer = 'Yes, Tuesday at ten suits me.\nI will bring the old permit.';

test.each([
  [
    'Gmail',
    'On Tue, 5 May 2026 at 10:04, Permit Office <office@example.com> wrote:\n\n> Does Tuesday suit you?\n>\n> Ada',
  ],
  ['Gmail, broken', 'On Tue, 5 May 2026 at 10:04, Permit Office and Company <\noffice@example.com> wrote:\n> Does it?'],
  ['Gmail without marks', 'On Tue, 5 May 2026, 10:04 am Permit Office <office@example.com>\nwrote:\n\nDoes it?'],
  ['Apple Mail', '> On 5 May 2026, at 10:04, Permit Office <office@example.com> wrote:\n> \n> Does it?\n'],
  ['German', 'Am 05.05.2026 um 10:04 schrieb Amt für Migration:\n> Passt es?'],
  ['French', 'Le mar. 5 mai 2026 à 10:04, Bureau <office@example.com> a écrit :\n\n> Cela va ?'],
  ['Spanish', 'El mar, 5 may 2026 a las 10:04, Oficina (<office@example.com>) escribió:\n> ¿Bien?'],
  ['Italian', 'Il giorno mar 5 mag 2026 alle ore 10:04 Ufficio <office@example.com> ha scritto:\n> Va bene?'],
  ['Portuguese', 'Em ter., 5 de mai. de 2026 às 10:04, Balcão <office@example.com> escreveu:\n> Pode ser?'],
  ['Dutch', 'Op di 5 mei 2026 om 10:04 schreef Loket <office@example.com>:\n> Schikt het?'],
  ['Danish', 'Den tirs. 5. maj 2026 kl. 10.04 skrev Kontor <office@example.com>:\n> Passer det?'],
  ['Polish', 'wt., 5 maj 2026 o 10:04 Urząd <office@example.com> napisał(a):\n> Pasuje?'],
  ['Ukrainian', 'вт, 5 трав. 2026 р. о 10:04 Бюро <office@example.com> пише:\n> Зручно?'],
  ['Turkish', '5 May 2026 Sal 10:04 tarihinde Ofis <office@example.com> şunu yazdı:\n> Uygun mu?'],
  ['Chinese', '在 2026年5月5日 10:04，办公室 <office@example.com> 写道：\n> 可以吗？'],
  ['Japanese', '2026年5月5日(火) 10:04 事務所 <office@example.com>のメッセージ:\n> いいですか'],
  ['a verb not known here', 'ma 5.5.2026 klo 10.04 Toimisto <office@example.com>:\n> Sopiiko?'],
  [
    'Outlook',
    '________________________________\nFrom: Permit Office <office@example.com>\nSent: Tuesday\nTo: Ada\nSubject: Permit\n\nHi',
  ],
  ['Outlook, by name', 'From: Permit Office\nSent: Tuesday, May 5, 2026 10:04 AM\nTo: Ada\nSubject: Permit\n\nHello'],
  [
    'Outlook, German',
    'Von: Amt [mailto:office@example.com]\nGesendet: Dienstag, 5. Mai 2026\nAn: Ada\nBetreff: Ausweis\n\nGuten Tag',
  ],
  [
    'Outlook, bold',
    '*From:* Permit Office <office@example.com>\n*Sent:* Tuesday\n*To:* Ada\n*Subject:* Permit\n\nHello',
  ],
  ['a divider', '-----Original Message-----\nHello Ada'],
  ['a help desk', '##- Please type your reply above this line -##\nHello Ada'],
  ['marks alone', '> Does Tuesday suit you?\n> Ada'],
  ['a phone', 'Sent from my phone'],
  [
    'a phone and a quote',
    'Sent from my phone\n\nOn 5 May 2026, at 10:04, Office <office@example.com> wrote:\n> Does it?',
  ],
  ['a signature', '-- \nAda Example\n+44 7700 900123'],
  ['a signature with a motto', '-- \nAda Example\nwe never walk alone, do we?'],
  ['a mailing list', '_______________\nResidents mailing list\nhttps://lists.example.com/residents'],
  ['a closing', 'Kind regards,\n\nAda Example\n+44 7700 900123'],
  ['a closing above the quote', 'Mit freundlichen Grüßen\nAda\n\nAm 05.05.2026 um 10:04 schrieb Amt:\n> Passt es?'],
])('what was written stays, what follows is folded: %s', (_, rest) => {
  for (const newline of ['\n', '\r\n']) {
    const text = `${answer}\n\n${rest}`.replaceAll('\n', newline);
    expect(fold(text)).toEqual({
      visible: answer.replaceAll('\n', newline),
      quoted: `\n\n${rest}`.replaceAll('\n', newline),
    });
  }
});

test.each([
  [
    'a date in a sentence',
    'On 5 May 2026 I moved house.\nOn the other hand, I wrote to you before.\nMy card ends on 1.1.2027: soon.',
  ],
  ['an address that is a link', 'See https://example.com/2026/05/what-ada-wrote: it says so.\nAda'],
  [
    'what somebody else said, retold',
    'Hi\n\nOn 5 May 2026 at 10:04 the office wrote to me:\nCome on Friday.\n\nShall I go?',
  ],
  [
    'what an office said, retold in German',
    'Hallo\n\nAm 05.05.2026 um 10:04 schrieb mir das Amt:\nKommen Sie bis Freitag.',
  ],
  ['a journey', 'From: Geneva\nTo: Zurich\nDate: 5 May 2026\nI need it before.'],
  [
    'answers between quotes',
    'On 5 May 2026, at 10:04, Office <office@example.com> wrote:\n> Which day?\n\nTuesday.\n\n> And when?\n\nAt ten.',
  ],
  ['an answer below', '> Does Tuesday suit you?\n\nYes.'],
  ['a quote and nothing else', 'On 5 May 2026, at 10:04, Office <office@example.com> wrote:\n> Which day?'],
  ['a signature and nothing else', 'Sent from my phone'],
  [
    'what is forwarded',
    'See below\n\n---------- Forwarded message ---------\nFrom: Insurer <insurer@example.com>\nDate: 5 May\nSubject: Policy\n\nYour policy',
  ],
  ['an afterthought', 'Done.\n\nBest regards\nAda\n\nP.S. My new number is +44 7700 900123'],
  ['a question after the closing', 'Done.\n\nThanks and regards\nAda\nCan you call me?'],
  ['a sentence after the closing', 'Done.\n\nCheers,\nI will come by on Tuesday at ten'],
  ['how something was sent', 'My papers are on their way.\nSent via courier on Monday'],
  ['a paragraph below a rule', 'Two things:\n---\nMy new address is 5 Main Street\n---\nCan you confirm?'],
  ['a list below a rule', 'I have moved\n___\nfrom May on I live in Berne\nthe office stays in Zurich'],
  ['a long text below a rule', `First list\n---\n${'One more line\n'.repeat(20)}`],
  ['nothing', ''],
  ['only blank lines', '\n \n'],
])('nothing is folded in %s', (_, text) => {
  expect(fold(text)).toEqual({ visible: text, quoted: null });
});

test('an attribution takes along no line of the answer', () => {
  const { visible } = fold('See you at 10:30\nOn 5 May 2026, 10:04 Office <office@example.com> wrote:\n> Which day?');
  expect(visible).toBe('See you at 10:30');
});

test('a line that a program broke within a quote is part of it', () => {
  const quote = `> ${'long '.repeat(15)}\nbroken\n> and on`;
  expect(fold(`Yes\n\n${quote}`)).toEqual({ visible: 'Yes', quoted: `\n\n${quote}` });
});

const line = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('', ' ', '> quoted', '>', '-- ', '__', 'Regards,', 'From: a@b.example', 'To: c', 'Subject: d'),
  fc.constantFrom('On 5 May 2026 10:04, A <a@b.example> wrote:', 'wrote:', '-----Original Message-----', 'Sent from x'),
);

test('no character is lost, and a text never goes out of sight as a whole', () => {
  const texts = fc
    .array(line, { maxLength: 30 })
    .chain((lines) => fc.constantFrom('\n', '\r\n').map((n) => lines.join(n)));
  fc.assert(
    fc.property(texts, (text) => {
      const { visible, quoted } = fold(text);
      expect(visible + (quoted ?? '')).toBe(text);
      expect(visible.trim() === '').toBe(text.trim() === '');
      expect(quoted?.trim()).not.toBe('');
    }),
  );
});

const word = (letters: string) => fc.string({ unit: fc.constantFrom(...letters), minLength: 2, maxLength: 9 });
const sentence = fc
  .constantFrom('abcdefghilmnoprstuß', 'абвгдежзийклмнопрст', 'ابتثجحخدذرزسشصضط')
  .chain((letters) => fc.array(word(letters), { minLength: 4, maxLength: 9 }))
  .map(([first = '', ...words]) => `${first.charAt(0).toUpperCase()}${first.slice(1)} ${words.join(' ')}.`);
const around = fc.constantFrom(
  '> Which day?',
  'On 5 May 2026, 10:04 Office <office@example.com> wrote:\n> Which day?\n> And when?',
  '-----Original Message-----\n> Which day?',
  '--\u0020\nAda Demo\nwe never walk alone',
  '--',
  '_______________',
  'Kind regards\nAda Demo',
  'Sent from my iPhone',
  'If you are not the intended recipient of this e-mail, delete it.',
);

test('no paragraph that is a sentence is hidden, wherever it stands among marked quotes and sign-offs', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(sentence, around), { maxLength: 12 }), (blocks) => {
      const { visible } = fold(blocks.join('\n\n'));
      const last = blocks.findLastIndex((block) => block.endsWith('.') && !block.startsWith('If you'));
      expect(visible).toContain(blocks.slice(0, last + 1).join('\n\n'));
    }),
    { numRuns: 1_000 },
  );
});

// A pattern that repeats a repetition would not come back from one of these.
test.each([
  'On 1 ',
  'On 1\n',
  'On 12:00 wrote:\n',
  'On 12:00 wrote:\n> a\n',
  'From: a@b.example\n',
  '>\n',
  '> a\nb\n',
  '--\n',
  '- ',
  ' ',
  '\n',
  'Regards\n',
  'schrieb 12:00 ',
  'Op 12:00 schreef\n',
  '-- \n',
  'Sent from my iPhone\n',
  'If you are not the recipient ',
  '-----Original Message-----\n\n',
])('a mebibyte of %j comes back', (piece) => {
  const text = `Hello\n${piece.repeat(2 ** 20 / piece.length)}end`;
  const { visible, quoted } = fold(text);
  expect(visible.length + (quoted?.length ?? 0)).toBe(text.length);
});
