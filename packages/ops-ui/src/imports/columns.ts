/** What files may be taken in. */
export type ImportKind = 'renewals' | 'customers';

export interface Column {
  name: string;
  required: boolean;
  /** What a cell holds, in words. */
  holds: string;
  /** As the example has it. */
  example: string;
}

/** As the service takes it. */
export const mostBytes = 40 * 1024 * 1024;

const required = (name: string, holds: string, example: string): Column => ({ name, required: true, holds, example });
const optional = (name: string, holds: string, example: string): Column => ({ name, required: false, holds, example });

const agent = optional('assigned_agent', 'The id of the agent who looks after it.', 'agent-1');

export const columns: Record<ImportKind, readonly Column[]> = {
  renewals: [
    required('customer_id', 'Whose it is: your own id of a customer who is here already.', 'C-1001'),
    required('service_type', 'What is renewed, as a code in capital letters.', 'RESIDENCE_PERMIT'),
    required('due_date', 'The day it expires: year, month, day.', '2031-03-31'),
    optional('external_id', 'Your own id of it. A later file knows it again by this.', 'R-5001'),
    optional('policy_id', 'The number of the policy or the permit.', 'P-77'),
    optional('notes', 'Words for colleagues.', 'Waits for the passport'),
    agent,
    optional('reminders', 'on or off. Off: no reminder goes to the customer by itself.', 'on'),
  ],
  customers: [
    required('customer_id', 'Your own id: letters, digits and . _ : - only.', 'C-1001'),
    required('name', 'How the customer is called.', 'Ada Example'),
    optional('phones', 'Numbers with country code; several with a semicolon between them.', '+44 7700 900001'),
    optional('emails', 'Addresses; several with a semicolon between them.', 'ada@example.com'),
    optional('locale', 'The language to write in, such as en or de-CH.', 'en'),
    optional('time_zone', 'Where the customer lives, such as Europe/Zurich.', 'Europe/London'),
    agent,
    optional('preferred_channel', 'MESSAGING_APP, EMAIL or SMS.', 'EMAIL'),
    optional('do_not_contact', 'true or false. True: nothing goes to the customer by itself.', 'false'),
  ],
};

/** A file with one row that has every column; the mark before it tells a spreadsheet how its letters are written. */
export const exampleFile = (kind: ImportKind): string =>
  `\ufeff${[columns[kind].map(({ name }) => name), columns[kind].map(({ example }) => example)]
    .map((cells) => `${cells.join(',')}\r\n`)
    .join('')}`;
