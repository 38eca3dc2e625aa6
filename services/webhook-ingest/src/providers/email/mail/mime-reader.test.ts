import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import iconv from 'iconv-lite';
import { firstValue } from './mail.rules.ts';
import { parseMime } from './mime-reader.ts';

/** A mail of strings and bytes, its lines as they travel. */
const mailOf = (...pieces: (string | Uint8Array)[]): Buffer =>
  Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece.replace(/\n/g, '\r\n')) : piece)));
const read = (...pieces: (string | Uint8Array)[]) => parseMime(mailOf(...pieces));
const inParts = (...parts: string[]) =>
  read(`Content-Type: multipart/mixed; boundary=b\n\n${parts.map((part) => `--b\n${part}\n`).join('')}--b--\n`);
const latin1 = (text: string) => Buffer.from(text, 'latin1');

describe('letters of eight bits that nobody named', () => {
  test('of a text', async () => {
    expect((await read('Content-Type: text/plain\n\n', latin1('Grüße'))).text).toBe('Grüße');
  });

  test('of a text that says it has none', async () => {
    expect((await read('Content-Type: text/plain; charset=us-ascii\n\nGrüße')).text).toBe('Grüße');
  });

  test('of HTML that names them itself', async () => {
    const html = iconv.encode('<meta charset="koi8-r"><p>Привет</p>', 'koi8-r');
    expect(await read('Content-Type: text/html\n\n', html)).toMatchObject({
      text: 'Привет',
      html: expect.stringContaining('Привет'),
    });
  });

  test('of a subject, a name and a file', async () => {
    const mail = await read(
      'From: ',
      latin1('Jörg'),
      ' <joerg@example.com>\nSubject: ',
      latin1('Müller'),
      '\n',
      'Content-Type: application/pdf; name="',
      latin1('Größe.pdf'),
      '"\nContent-Disposition: attachment\n\nx',
    );
    expect(mail).toMatchObject({ subject: 'Müller', files: [{ name: 'Größe.pdf' }] });
    expect(firstValue(mail, 'from')).toBe('Jörg <joerg@example.com>');
  });

  test('of a subject, as the text is written', async () => {
    const mail = await read(
      'Subject: ',
      iconv.encode('Привет', 'koi8-r'),
      '\nContent-Type: multipart/mixed; boundary=b\n\n--b\n',
      'Content-Type: text/plain; charset=koi8-r\n\n',
      iconv.encode('Паспорт', 'koi8-r'),
      '\n--b--',
    );
    expect(mail).toMatchObject({ subject: 'Привет', text: 'Паспорт' });
  });
});

describe('charsets that only few know', () => {
  test.each([
    ['=?cp850?Q?Gr=81=E1e?=', 'Grüße'],
    ['=?cp932?B?g0qDaYdA?=', 'カナ①'],
    ['=?us-ascii?Q?Gr=C3=BC=C3=9Fe?=', 'Grüße'],
    ['=?x-unknown?Q?Gr=FC=DFe?=', 'Grüße'],
    ['=?utf-8?B?4pw=?= =?utf-8?B?kw==?= and =?utf-8?Q?more?=', '✓ and more'],
    ['=?UTF-8*de?q?a_b=5F?= =?iso-8859-1?q?=fc?=', 'a b_ü'],
    ['=?utf-8?Q?a?= b =?utf-8?Q?c', 'a b =?utf-8?Q?c'],
  ])('the subject %s is %s', async (given, subject) => {
    expect((await read(`Subject: ${given}\n\n`)).subject).toBe(subject);
  });

  test('a text', async () => {
    const body = iconv.encode('Grüße', 'cp850').toString('base64');
    expect(
      (await read(`Content-Type: text/plain; charset=cp850\nContent-Transfer-Encoding: base64\n\n${body}`)).text,
    ).toBe('Grüße');
  });
});

describe('the name of a file', () => {
  const nameIn = async (...headers: string[]) =>
    (await inParts('\nHello', `${headers.join('\n')}\n\nx`)).files.map(({ name }) => name);

  test.each([
    ["Content-Disposition: attachment; filename*=cp850''Gr%81%E1e.pdf", 'Grüße.pdf'],
    [
      "Content-Disposition: attachment; filename*0*=utf-8'de'Gr%C3;\n filename*1*=%BC%C3%9Fe; filename*2=.pdf",
      'Grüße.pdf',
    ],
    ['Content-Disposition: attachment; filename="=?iso-8859-1?Q?Gr=FC=DFe=2Epdf?="', 'Grüße.pdf'],
    ['Content-Disposition: attachment; filename=Invoice (1).pdf', 'Invoice (1).pdf'],
    ['Content-Disposition: attachment; filename="a \\"b\\".pdf"; size=3', 'a "b".pdf'],
    ['Content-Type: application/pdf; name=pass.pdf', 'pass.pdf'],
    ['Content-Type: application/pdf\nContent-Location: https://example.com/a/Pa%C3%9F.pdf?x=1', 'Paß.pdf'],
    ['Content-Type: application/pdf', null],
  ])('%s', async (headers, name) => {
    expect(
      await nameIn(headers.includes('Content-Type') ? headers : `Content-Type: application/pdf\n${headers}`),
    ).toEqual([name]);
  });
});

describe('what is a file and what is written', () => {
  const html = 'Content-Type: text/html\n';

  test('text that bears a name is a file, within the mail too', async () => {
    const mail = await inParts(
      'Content-Type: text/plain\n\nSee below',
      `${html}Content-Disposition: inline; filename="statement.html"\n\n<p>100</p>`,
      'Content-Type: text/plain; name="list.txt"\nContent-Disposition: inline\n\nA\nB',
      'Content-Type: text/plain\n\nAda',
    );
    expect(mail).toMatchObject({ text: 'See below\nAda', html: null });
    expect(mail.files.map(({ name, bytes }) => [name, Buffer.from(bytes).toString()])).toEqual([
      ['statement.html', '<p>100</p>'],
      ['list.txt', 'A\r\nB'],
    ]);
  });

  test('the mail itself is written, whatever its name', async () => {
    expect((await read(`${html}Content-Disposition: inline; filename=mail.html\n\n<p>Hello</p>`)).text).toBe('Hello');
    const both =
      'Content-Type: multipart/alternative; boundary=a\n\n--a\n\nHello\n--a\nContent-Type: text/html; name=x.html\n\n<p>Hello</p>\n--a--';
    expect(await inParts(both)).toMatchObject({ text: 'Hello', html: '<p>Hello</p>', files: [] });
    expect(await inParts('Content-Type: text/plain; name="message.txt"\n\nHello')).toMatchObject({
      text: 'Hello',
      files: [],
    });
  });

  test('every part of a mail, in its order', async () => {
    const mail = await inParts('\nOne & two', `${html}\n<p>Three</p>`, '\nFour');
    expect(mail).toMatchObject({ text: 'One & two\nThree\nFour' });
    expect(mail.html).toMatch(/One &amp; two.*<p>Three<\/p>.*Four/s);
  });

  test('HTML, where the text beside it only says so', async () => {
    const alternative = (text: string) =>
      read(
        `Content-Type: multipart/alternative; boundary=b\n\n--b\n\n${text}\n--b\n${html}\n<p>My passport is new.</p>\n--b--`,
      );
    expect((await alternative('Your mail program cannot show HTML.')).text).toBe('My passport is new.');
    expect((await alternative('My passport is new. Sent as HTML.')).text).toBe('My passport is new. Sent as HTML.');
    expect((await alternative(' \n')).text).toBe('My passport is new.');
  });

  test('a mail of parts that has none, and parts after its end', async () => {
    expect((await read('Content-Type: multipart/mixed; boundary=b\n\nHello\n')).text).toBe('Hello\n');
    expect((await read('Content-Type: multipart/mixed\n\nHello\n')).text).toBe('Hello\n');
    expect(
      (await read('Content-Type: multipart/mixed; boundary=b\n\npreamble\n--b\n\nOne\n--b--\n\n--b\n\nTwo\n')).text,
    ).toBe('One\nTwo\n');
  });

  test('files come byte by byte', async () => {
    const bytes = Buffer.from('a\r\nb\n\r\n\0ÿ', 'latin1');
    const mail = await parseMime(
      Buffer.concat([
        latin1('Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: application/x\r\n\r\n'),
        bytes,
        latin1('\r\n--b--\r\n'),
      ]),
    );
    expect(Buffer.from(mail.files[0]?.bytes ?? [])).toEqual(bytes);
  });
});

describe('encodings', () => {
  const encoded = async (encoding: string, body: string) =>
    (await read(`Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: ${encoding}\n\n${body}`)).text;

  test.each([
    ['quoted-printable', 'a=3Db=\nc =C3=BC =  \nd =x', 'a=bc ü d =x'],
    ['Quoted-Printable (comment)', 'a=0D=0Ab', 'a\nb'],
    ['base64', 'w7w=\nw7w=\n', 'üü'],
    ['"base64"', 'w7w!\n', 'ü'],
    ['8bit', 'ü', 'ü'],
    ['x-unknown', 'ü', 'ü'],
  ])('%s', async (encoding, body, text) => {
    expect(await encoded(encoding, body)).toBe(text);
  });
});

describe('flowed text', () => {
  const flowed = async (body: string, more = '') =>
    (await read(`Content-Type: text/plain; format=flowed${more}\n\n${body}`)).text;

  test('is one line again, as deep as it was quoted', async () => {
    expect(await flowed('> When do you \n> arrive?\n>> At \n>> noon.\nAt \nten.\n')).toBe(
      '> When do you arrive?\n>> At noon.\nAt ten.\n',
    );
  });

  test('ends where the depth changes', async () => {
    expect(await flowed('> Quoted \nNew')).toBe('> Quoted \nNew');
  });

  test('keeps what was stuffed, the line of a signature, and words cut in two', async () => {
    expect(await flowed(' >not quoted\n From \nme\n-- \nAda')).toBe('>not quoted\nFrom me\n-- \nAda');
    expect(await flowed('Aufenthalts \ntitel', '; delsp=yes')).toBe('Aufenthaltstitel');
  });
});

test('whatever is cut or repeated, no plain word of a text is lost', async () => {
  const word = fc.stringMatching(/^[a-z]{3,8}$/);
  const parts = fc.array(fc.array(word, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(parts, fc.boolean(), async (texts, ended) => {
      const end = ended ? '--b--\n' : '';
      const body = texts.map((words) => `--b\nContent-Type: text/plain\n\n${words.join('\n')}\n`).join('');
      const { text } = await read(`Content-Type: multipart/mixed; boundary="b"\n\n${body}${end}`);
      expect(text?.trim().split('\n')).toEqual(texts.flat());
    }),
  );
});
