import type { CreateCommunication } from '@ops/contracts/resources/communication';
import type { PutCustomer } from '@ops/contracts/resources/customer';

interface DemoCustomer {
  id: string;
  customer: Partial<PutCustomer> & { name: string };
  communications: CreateCommunication[];
}

/** Nobody real: numbers are of ranges kept for fiction, addresses of a domain kept for examples. */
export const demoCustomers: readonly DemoCustomer[] = [
  {
    id: 'C-1001',
    customer: {
      name: 'Demo Customer One',
      phones: ['+44 7700 900001'],
      emails: ['one@example.com'],
      locale: 'en',
      time_zone: 'Europe/London',
      preferred_channel: 'MESSAGING_APP',
    },
    communications: [
      {
        type: 'CALL_LOG',
        direction: 'INTERNAL',
        subject: 'Permit renewal',
        body: 'Called about the documents needed.',
      },
      { type: 'MESSAGING_APP', direction: 'INBOUND', body: 'Hello, when does my residence permit expire?' },
      { type: 'MESSAGING_APP', direction: 'INBOUND', body: 'And which documents do you need from me?' },
    ],
  },
  {
    id: 'C-1002',
    customer: {
      name: 'Demo Customer Two',
      phones: ['+44 7700 900002'],
      emails: ['two@example.com'],
      locale: 'en',
      preferred_channel: 'EMAIL',
    },
    communications: [
      { type: 'EMAIL', direction: 'INBOUND', subject: 'Work permit', body: 'My employer needs a copy of the permit.' },
      { type: 'INTERNAL_NOTE', direction: 'INTERNAL', body: 'Prefers e-mail; works nights.' },
    ],
  },
  {
    id: 'C-1003',
    customer: { name: 'Demo Customer Three', phones: ['+44 7700 900003'], locale: 'de-CH', preferred_channel: 'SMS' },
    communications: [{ type: 'SMS', direction: 'INBOUND', body: 'Please renew my insurance policy.' }],
  },
  {
    id: 'C-1004',
    customer: { name: 'Demo Customer Four', emails: ['four@example.com'], do_not_contact: true },
    communications: [],
  },
];

/** Whose phones and mailboxes are there before anybody wrote. */
export const demoPeople = demoCustomers.map(({ customer: { name, phones = [], emails = [] } }) => ({
  name,
  phones,
  emails,
}));
