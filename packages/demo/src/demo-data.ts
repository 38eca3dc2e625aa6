import { type PutCalendar, weekdays } from '@ops/contracts/resources/calendar';
import type { CreateCommunication } from '@ops/contracts/resources/communication';
import type { PutCustomer } from '@ops/contracts/resources/customer';
import type { PutAgent } from '@ops/contracts/resources/task';
import { type DemoRenewal, firmCustomers } from './demo-firm.ts';

interface DemoCustomer {
  id: string;
  customer: Partial<PutCustomer> & { name: string };
  communications: CreateCommunication[];
  /** One of each service type at most. */
  renewals: DemoRenewal[];
}

/** Those of the demo people whom renewals and tasks can be given to. */
export const demoAgents: readonly (PutAgent & { id: string })[] = [
  { id: 'demo-staff', name: 'Demo Staff' },
  { id: 'demo-admin', name: 'Demo Admin' },
  { id: 'demo-colleague', name: 'Demo Colleague' },
];

/** At whatever hour somebody tries it, the night of the customers alone keeps a message waiting. */
export const demoCalendar: PutCalendar = {
  working_days: [...weekdays],
  hours: { from: '00:00', until: '24:00' },
  country: null,
  region: null,
  holidays: [],
  answer_within_hours: 8,
};

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
    renewals: [
      { service_type: 'RESIDENCE_PERMIT', in_days: 12, assigned_agent: 'demo-staff' },
      { service_type: 'INSURANCE_POLICY', in_days: 80, policy_id: 'DEMO-POLICY-1' },
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
    renewals: [
      { service_type: 'WORK_PERMIT', in_days: 28, assigned_agent: 'demo-admin', notes: 'Waits for the employer.' },
      { service_type: 'RESIDENCE_PERMIT', in_days: 170 },
    ],
  },
  {
    id: 'C-1003',
    customer: { name: 'Demo Customer Three', phones: ['+44 7700 900003'], locale: 'de-CH', preferred_channel: 'SMS' },
    communications: [{ type: 'SMS', direction: 'INBOUND', body: 'Please renew my insurance policy.' }],
    renewals: [{ service_type: 'INSURANCE_POLICY', in_days: 5, policy_id: 'DEMO-POLICY-2' }],
  },
  {
    id: 'C-1004',
    customer: { name: 'Demo Customer Four', emails: ['four@example.com'], do_not_contact: true },
    communications: [],
    renewals: [{ service_type: 'RESIDENCE_PERMIT', in_days: -3, assigned_agent: 'demo-staff' }],
  },
];

/** Whose phones and mailboxes are there before anybody wrote. */
export const demoPeople = [...demoCustomers, ...firmCustomers].map(
  ({ customer: { name, phones = [], emails = [] } }) => ({
    name,
    phones,
    emails,
  }),
);
