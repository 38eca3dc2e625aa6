import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Columns, type Layout, readLayout } from './csv-layout.ts';
import { type CsvRecord, recordsOf } from './csv-records.ts';
import { CsvFileError } from './csv-text.ts';
import { byteOrderMark, csvLine, guarded, unguarded } from './csv-writer.ts';

const columns: Columns = { known: ['id', 'name', 'note'], required: ['id', 'name'] };

async function* inPieces(bytes: Buffer, size = bytes.length || 1) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function recordsIn(file: string | Buffer, size?: number): Promise<CsvRecord[]> {
  const bytes = Buffer.from(file);
  const layout = (await readLayout(inPieces(bytes, size), columns)) as Layout;
  const records: CsvRecord[] = [];
  for await (const record of recordsOf(inPieces(bytes, size), layout)) records.push(record);
  return records;
}

const cellsIn = async (file: string | Buffer) => (await recordsIn(file)).map(({ cells }) => cells);

describe('a file of rows is read', () => {
  test.each([
    ['plain', 'id,name\n1,Ada\n2,Bob\n'],
    ['without a last line end', 'id,name\n1,Ada\n2,Bob'],
    ['with a byte order mark', '\ufeffid,name\n1,Ada\n2,Bob\n'],
    ['with the line ends of Windows', 'id,name\r\n1,Ada\r\n2,Bob\r\n'],
    ['with the line ends of old Macs', 'id,name\r1,Ada\r2,Bob\r'],
    ['with semicolons', 'id;name\n1;Ada\n2;Bob\n'],
    ['with tabs', 'id\tname\n1\tAda\n2\tBob\n'],
    ['with quotes around everything', '"id","name"\n"1","Ada"\n"2","Bob"\n'],
    ['with empty lines and empty rows', '\n\nid,name\n\n1,Ada\n,\n\n2,Bob\n\n'],
    ['with names of columns in capitals and spaces', ' ID , Name \n1,Ada\n2,Bob\n'],
  ])('%s', async (_, file) => {
    expect(await cellsIn(file)).toEqual([
      ['1', 'Ada'],
      ['2', 'Bob'],
    ]);
  });

  test('a semicolon file may have commas in its cells, and the other way round', async () => {
    expect(await cellsIn('id;name\n1;"Demo, Ada"\n2;Demo, Bob\n')).toEqual([
      ['1', 'Demo, Ada'],
      ['2', 'Demo, Bob'],
    ]);
    expect(await cellsIn('id,name\n1,a;b;c\n')).toEqual([['1', 'a;b;c']]);
  });

  test.each(['\n', '\r\n', '\r'])('each row is known by the line it begins on, with line ends %j', async (end) => {
    const lines = ['id,name', '1,Ada', '', '2,"Bob', '', 'the second"', '3,Cleo'];
    expect(await recordsIn(lines.join(end))).toEqual([
      { line: 2, cells: ['1', 'Ada'] },
      { line: 4, cells: ['2', 'Bob\n\nthe second'] },
      { line: 7, cells: ['3', 'Cleo'] },
    ]);
  });

  test('however it comes in pieces', async () => {
    const file = '\ufeffid;name;note\r\n1;"Zoë ""Z"" Žižek";"a\r\nb"\r\n2;😀;\r\n';
    const whole = await recordsIn(file);
    expect(whole.map(({ cells }) => cells[1])).toEqual(['Zoë "Z" Žižek', '😀']);
    for (let size = 1; size <= 12; size++) expect(await recordsIn(file, size)).toEqual(whole);
  });
});

describe('a file that cannot be read says why', () => {
  test.each([
    ['in the encoding of an old spreadsheet', Buffer.from('id,name\n1,Z\xfcrich\n', 'latin1'), /not UTF-8/],
    ['in UTF-16', Buffer.from('\ufeffid,name\n1,Ada\n', 'utf16le'), /not UTF-8/],
    ['cut off within a letter', Buffer.from('id,name\n1,Zürich').subarray(0, 12), /not UTF-8/],
    ['with a quote left open', 'id,name\n1,Ada\n2,"Bob\n3,Cleo\n', /line 3 .*never closed/],
    ['with a quote amid a cell', 'id,name\n1,Ada\n2,Bob "B" Demo\n', /line 3 .*quote be doubled/],
    ['with something behind a quote', 'id,name\n1,"Ada" Demo\n', /line 2 .*quote be doubled/],
    ['with a row without end', `id,name\n1,"${'x'.repeat(300_000)}"\n`, /line 2 .*too long/],
  ])('%s', async (_, file, reason) => {
    const reading = recordsIn(file);
    await expect(reading).rejects.toThrow(CsvFileError);
    await expect(reading).rejects.toThrow(reason);
  });

  test.each([
    ['id\n', [{ path: 'name', message: 'is missing' }]],
    [
      '1,Ada\n',
      [{ path: 'id', message: 'is missing' }, { path: 'name', message: 'is missing' }, { path: '1' }, { path: 'ada' }],
    ],
    ['id,name,colour\n', [{ path: 'colour', message: 'is not known' }]],
    ['id;name;colour\n', [{ path: 'colour', message: 'is not known' }]],
    ['id,name,id\n', [{ path: 'id', message: 'stands twice' }]],
    ['id,name,,\n', [{ path: 'column 3', message: 'has no name' }, { path: 'column 4' }]],
    ['', [{ path: 'file', message: 'has no line with the names of its columns' }]],
    ['\n\n', [{ path: 'file' }]],
  ])('columns as in %j are named', async (file, problems) => {
    expect(await readLayout(inPieces(Buffer.from(file)), columns)).toMatchObject({ problems });
  });
});

const cell = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.string({ unit: fc.constantFrom(...`=+-@'",;\n\t aé＝`), maxLength: 6 }),
);
/** The file has one kind of line end, and cells come back with it. */
const plain = (text: string) => text.replace(/\r\n?/g, '\n');

describe('what is written', () => {
  test('reads back as it was, whatever is in it', async () => {
    const rows = fc.array(fc.tuple(fc.constant('x'), cell, cell), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(rows, async (written) => {
        const file = byteOrderMark + csvLine(['id', 'name', 'note']) + written.map(csvLine).join('');
        const read = (await cellsIn(file)).map((cells) => cells.map(unguarded));
        expect(read).toEqual(written.map((cells) => cells.map(plain)));
      }),
      { numRuns: 500, examples: [[[['x', '', '\r']]]] },
    );
  });

  test('is no formula to a spreadsheet', () => {
    const dangerous = fc
      .tuple(fc.constantFrom(...'=+-@\t\r＝＋－＠'), fc.string())
      .map(([first, rest]) => first + rest);
    fc.assert(fc.property(dangerous, (text) => guarded(text).startsWith("'")));
    expect(csvLine(['=1+1', '+41 44', "'=x", "'t Hooft", 'plain', 'a;=b'])).toBe(
      `'=1+1,'+41 44,''=x,'t Hooft,plain,"a;=b"\r\n`,
    );
  });
});
