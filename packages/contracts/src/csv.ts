import { z } from 'zod';

const intro = `A CSV file in UTF-8. Its first line names the columns, in any order, with a comma, a semicolon or a tab between them.
What a cell leaves empty, or the file has no column for, stays as it is. The file of an outcome can be corrected and sent
again: its columns that begin with \`import_\` are passed over.`;

/** How a file is written whose rows read like this one, for whoever makes it. */
export function describeCsv(row: z.ZodObject): string {
  const { properties = {}, required = [] } = z.toJSONSchema(row, { io: 'input' });
  const lines = Object.entries(properties).map(
    ([column, cell]) => `| \`${column}\` | ${required.includes(column) ? 'yes' : 'no'} | ${describeCell(cell)} |`,
  );
  return [intro, '', '| column | required | what a cell holds |', '| --- | --- | --- |', ...lines].join('\n');
}

function describeCell(cell: z.core.JSONSchema._JSONSchema): string {
  if (typeof cell === 'boolean') return '';
  const { description, enum: words, maxLength, format, pattern, example } = cell;
  const told = [
    description,
    words && `one of ${words.map((word) => `\`${word}\``).join(', ')}`,
    maxLength && `up to ${maxLength} characters`,
    format === undefined && pattern && `matches \`${pattern}\``,
    example && `for example \`${example}\``,
  ];
  return told.filter(Boolean).join('; ');
}
