import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { type Columns, type Layout, readLayout } from './csv-layout.ts';
import { beginning, type CsvRecord, nextOf, recordsOf } from './csv-records.ts';
import { CsvFileError, inPieces, pieceBytes, textOf } from './csv-text.ts';
import { byteOrderMark, contentOf, csvLine, guarded } from './csv-writer.ts';
import { columnsOf, type ImportKind, readRow } from './import.ts';
import { outcomeHeader, outcomeLine } from './outcome-file.ts';

const row = z.object({ id: z.string(), name: z.string(), note: z.string().optional() });
const columns: Columns = columnsOf(row);

async function* cut(bytes: Buffer, size = bytes.length || 1) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function all<T>(these: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const one of these) list.push(one);
  return list;
}

async function fileIn(file: string | Buffer, size?: number): Promise<{ layout: Layout; records: CsvRecord[] }> {
  const bytes = Buffer.from(file);
  const layout = (await readLayout(cut(bytes, size), columns)) as Layout;
  return { layout, records: await all(recordsOf(inPieces(textOf(cut(bytes, size))), layout)) };
}

const recordsIn = async (file: string | Buffer, size?: number) =>
  (await fileIn(file, size)).records.map(({ line, cells }) => ({ line, cells }));

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

/** As an import reads it: a batch at a time, each from where the one before ended. */
async function batchesIn(file: string | Buffer, most: number): Promise<CsvRecord[][]> {
  const bytes = Buffer.from(file);
  const layout = (await readLayout(cut(bytes), columns)) as Layout;
  const text = Buffer.concat(await all(inPieces(textOf(cut(bytes)))));
  const batches: CsvRecord[][] = [];
  for (let from = beginning; ; ) {
    const batch = await nextOf(recordsOf(cut(text.subarray(from.bytes), 5_000), layout, from), most);
    from = batch.at(-1)?.readTo ?? from;
    if (batch.length === 0) return batches;
    batches.push(batch);
  }
}

test('rows come in batches of so many, or of a MiB', async () => {
  const sizesOf = async (rows: string[], most: number) =>
    (await batchesIn(['id,name', ...rows].join('\n'), most)).map(({ length }) => length);
  expect(await sizesOf(Array(25).fill('1,Ada'), 10)).toEqual([10, 10, 5]);
  expect(await sizesOf(Array(10).fill(`1,${'x'.repeat(250_000)}`), 10)).toEqual([5, 5]);
  expect(await sizesOf([], 10)).toEqual([]);
});

test('a fault further down is told of by its line', async () => {
  await expect(batchesIn('id,name\n1,"A\n\nda"\n\n2,Bob\n3,"Cleo\n', 1)).rejects.toThrow(/line 7 .*never closed/);
});

test('the text is kept in pieces of one length', async () => {
  const pieces = await all(inPieces(textOf(cut(Buffer.from('é\r\n'.repeat(30_000)), 1_001))));
  expect(Buffer.concat(pieces).toString()).toBe('é\n'.repeat(30_000));
  expect(pieces.map(({ length }) => length)).toEqual([pieceBytes, pieceBytes, 90_000 - 2 * pieceBytes]);
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
    ['with a row of separators without end', `id,name\n1,Ada\n2,Bob${','.repeat(2_000)}\n`, /line 3 .*too many cells/],
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
    expect(await readLayout(cut(Buffer.from(file)), columns)).toMatchObject({ problems });
  });
});

/** The file has one kind of line end and no NUL, and blanks around a cell say nothing. */
const said = (text: string) => text.replace(/\r\n?/g, '\n').replaceAll('\u0000', '\ufffd').trim();
const signs = fc.string({ unit: fc.constantFrom(...`=+-@'",;|\n\r\t aé＝\u0000\ufffd`), maxLength: 6 });
const cell = fc.oneof(fc.string({ unit: 'binary', maxLength: 8 }), signs);
const saidCell = cell.map(said);
const delimiter = fc.constantFrom(',', ';', '\t');
const inQuotes = (text: string) => `"${text.replaceAll('"', '""')}"`;

test('read in batches, a file has the rows it has when it is read at once', async () => {
  const line = fc.oneof(
    fc.array(cell, { maxLength: 4 }).map((cells) => cells.map(inQuotes).join(',')),
    fc.constantFrom('', ',', '1,Ada', 'é,x'),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 12 }), fc.integer({ min: 1, max: 3 }), async (lines, most) => {
      const file = ['id,name', ...lines].join('\n');
      expect((await batchesIn(file, most)).flat()).toEqual((await fileIn(file)).records);
    }),
    { numRuns: 300 },
  );
});

describe('what is written', () => {
  test('reads back as what it said, whatever is in it', async () => {
    const rows = fc.array(fc.tuple(fc.constant('x'), saidCell, saidCell), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(rows, delimiter, async (written, between) => {
        const lines = [['id', 'name', 'note'], ...written].map((cells) => csvLine(cells, between));
        const read = (await cellsIn(byteOrderMark + lines.join(''))).map((cells) => cells.map(contentOf));
        expect(read).toEqual(written);
      }),
      { numRuns: 300 },
    );
  });

  test('is no formula to a spreadsheet, whatever it takes for the separator', () => {
    const formula = /^"*[=+\-@＝＋－＠]/;
    fc.assert(
      fc.property(fc.array(fc.oneof(signs, fc.string()), { minLength: 1 }), delimiter, (cells, between) => {
        // As though no quotes counted, and each sign that may separate did.
        const pieces = csvLine(cells, between).split(/[,;\t\r\n]/);
        expect(pieces.filter((piece) => formula.test(piece))).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  test.each([
    ['=1+1', "'=1+1"],
    ['+41 44', "'+41 44"],
    ["'=x", "''=x"],
    ['"=x"', `'"=x"`],
    ["'t Hooft", "'t Hooft"],
    ['a;=HYPERLINK(1);b', "a;'=HYPERLINK(1);b"],
    ['a\n-b\n- c', "a\n'-b\n'- c"],
    ['1-2, 3', '1-2, 3'],
  ])('%j is guarded as %j', (text, written) => {
    expect([guarded(text), contentOf(written)]).toEqual([written, text]);
  });
});

/** How a row reads, or which of its columns are wrong. */
const kind: ImportKind<z.infer<typeof row>> = {
  continues: 'customer_import.continue',
  row,
  keyOf: ({ id }) => id,
  foresee: async () => [],
  take: async () => [],
  responsible: async () => new Map(),
};
const readings = ({ layout, records }: Awaited<ReturnType<typeof fileIn>>) =>
  records.map((record) => {
    const read = readRow(kind, layout, record);
    return 'row' in read ? read.row : read.errors.map(({ column }) => column);
  });

/** What a sender gets back of it. */
function outcomeOf({ layout, records }: Awaited<ReturnType<typeof fileIn>>): string {
  const lines = records.map((record) => {
    const read = readRow(kind, layout, record);
    const told = { outcome: 'unchanged' as const, key: null, id: '-1', errors: 'errors' in read ? read.errors : [] };
    return outcomeLine(layout, { ...record, ...told, kept: ['name'], responsible_agent: 'agent-1' });
  });
  return outcomeHeader(layout) + lines.join('');
}

describe('the file of an outcome', () => {
  const cells = fc.oneof({ weight: 5, arbitrary: fc.tuple(cell, cell, cell) }, fc.array(cell, { maxLength: 6 }));

  test('says what the sent one did, however often it is sent again', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(cells, { maxLength: 5 }), delimiter, async (rows, between) => {
        const sent = [['id', 'name', 'note'], ...rows].map((all) => all.map(inQuotes).join(between)).join('\n');
        const first = await fileIn(sent);
        const second = await fileIn(outcomeOf(first));
        const third = await fileIn(outcomeOf(second));
        expect([readings(second), readings(third)]).toEqual([readings(first), readings(first)]);
        expect(outcomeOf(third)).toBe(outcomeOf(second));
      }),
      {
        numRuns: 500,
        examples: [
          [
            [
              ['1', '+41 44', 'a\u0000b'],
              ['2', 'Ada'],
              ['3', '', '', 'x'],
            ],
            ';',
          ],
        ],
      },
    );
  });

  test.each([
    ['our columns stand amid and behind', 'id,import_id,name,import_line\n1,x,Ada,2\n2,,Bob,3,,\n'],
    ['some of ours are missing, as a version before wrote them', 'import_line,import_errors,id,name\n2,,1,Ada\n'],
    ['it is as long as a row may be', `id,name,note\n1,Ada,"${',+'.repeat(128 * 1024 - 10)}"\n`],
  ])('says so where %s', async (_, sent) => {
    const first = await fileIn(sent);
    const second = await fileIn(outcomeOf(first));
    expect(readings(second)).toEqual(readings(first));
    expect(outcomeOf(await fileIn(outcomeOf(second)))).toBe(outcomeOf(second));
  });

  test('has the separator of the one that was sent', async () => {
    const told = async (sent: string) => outcomeOf(await fileIn(sent));
    expect(await told('id;name\n1;a,b\n')).toBe(
      '\ufeffimport_line;import_outcome;import_id;import_errors;import_responsible_agent;import_kept;id;name\r\n2;unchanged;\'-1;;agent-1;name;1;"a,b"\r\n',
    );
    expect(await told('id\tname\n1\tAda\n')).toMatch(/\r\n2\tunchanged\t'-1\t\tagent-1\tname\t1\tAda\r\n$/);
  });
});
