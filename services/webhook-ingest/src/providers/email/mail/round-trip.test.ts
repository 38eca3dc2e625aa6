import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import iconv from 'iconv-lite';
import MailComposer from 'nodemailer/lib/mail-composer';
import { mailboxesOf } from './address-reader.ts';
import { allValues } from './mail.rules.ts';
import { parseMime } from './mime-reader.ts';

/** Words of people who write in it. */
const charsets: [string, string][] = [
  ['utf-8', 'Straße é Ж 語 😀'],
  ['iso-8859-1', 'äöüÄÖÜßéèñç'],
  ['iso-8859-2', 'łżśćęąčřž'],
  ['iso-8859-9', 'ğışçöüİ'],
  ['iso-8859-15', 'äöü€œšž'],
  ['windows-1251', 'абвгдеїєжзи'],
  ['windows-1252', 'äöüßéñàôç'],
  ['windows-1256', 'ابتثجحخدذ'],
  ['koi8-u', 'абвгдеїєжзи'],
  ['cp850', 'äöüÄÖÜßéèñç'],
  ['shift_jis', 'かなカナ漢字語'],
  ['gb18030', '汉字语言护照'],
];
const encodings = ['7bit', '8bit', 'quoted-printable', 'base64'];

/** As programs write headers that are not ASCII: in words of their own. */
function headerWord(text: string, charset: string, kind: 'B' | 'Q'): string {
  const bytes = iconv.encode(text, charset);
  const hex = () => bytes.toString('hex').replace(/../g, (pair) => `=${pair.toUpperCase()}`);
  return `=?${charset}?${kind}?${kind === 'B' ? bytes.toString('base64') : hex()}?=`;
}

interface Sample {
  charset: string;
  encoding: string;
  words: string[];
  kind: 'B' | 'Q';
}

/** Seven bits carry ASCII alone, in whatever charset. */
const samples: fc.Arbitrary<Sample> = fc
  .tuple(fc.constantFrom(...charsets), fc.constantFrom(...encodings))
  .chain(([[charset, letters], encoding]) => {
    const unit = fc.constantFrom(...(encoding === '7bit' ? 'abcXYZ' : letters.replaceAll(' ', '')), 'a', 'e');
    const word = fc.string({ unit, minLength: 2, maxLength: 9 });
    return fc.record({
      charset: fc.constant(charset),
      encoding: fc.constant(encoding),
      words: fc.array(word, { minLength: 5, maxLength: 12 }),
      kind: fc.constantFrom('B' as const, 'Q' as const),
    });
  });

async function compose({ charset, encoding, words, kind }: Sample): Promise<Buffer> {
  const [subject = '', name = '', file = ''] = words;
  const content = (text: string) => iconv.encode(text, charset);
  const part = (type: string, text: string) => ({
    contentType: `${type}; charset=${charset}`,
    content: content(text),
    contentTransferEncoding: encoding as '7bit',
  });
  const composed = await new MailComposer({
    subject: 'SUBJECT',
    from: 'NAME <ada@example.com>',
    alternatives: [part('text/plain', textOf(words)), part('text/html', `<p>${words.join(' ')}</p>`)],
    attachments: [{ filename: `${file}.pdf`, content: Buffer.from(words.join()), contentType: 'application/pdf' }],
  })
    .compile()
    .build();
  const inItsCharset: [string, string][] = [
    ['SUBJECT', subject],
    ['NAME', name],
  ];
  return inItsCharset.reduce(withWord, composed);

  function withWord(mail: Buffer, [place, text]: [string, string]): Buffer {
    return Buffer.from(mail.toString('latin1').replace(place, headerWord(text, charset, kind)), 'latin1');
  }
}

const textOf = (words: string[]): string => `${words.join(' ')}\n\n${words.join('\n')}`;

test('200 mails in twelve charsets and four encodings say what they said: subject, name, text, HTML and file', async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(samples, async (sample) => {
      const { words, charset, encoding } = sample;
      seen.add(charset).add(encoding);
      const mail = await parseMime(await compose(sample));
      const [from] = mailboxesOf(allValues(mail, 'from'));
      expect({
        subject: mail.subject,
        name: from?.name,
        text: mail.text?.trimEnd(),
        html: mail.html?.trimEnd(),
      }).toEqual({
        subject: words[0],
        name: words[1],
        text: textOf(words),
        html: `<p>${words.join(' ')}</p>`,
      });
      expect(mail.files.map(({ name, bytes }) => [name, Buffer.from(bytes).toString()])).toEqual([
        [`${words[2]}.pdf`, words.join()],
      ]);
    }),
    { numRuns: 200, seed: 2026 },
  );
  expect(seen.size).toBe(charsets.length + encodings.length);
});
