import { Stack, Text } from '@mantine/core';
import { useRef } from 'react';
import { api, dataOf } from '../api/client.ts';
import type { Customer, CustomerDetail } from '../api/types.ts';
import { Erase } from '../erasure/erase.tsx';
import { WhoChanged } from '../history/who-changed.tsx';
import { OtherIds } from '../merging/other-ids.tsx';
import { dayOf } from '../parts/dates.tsx';
import { tell } from '../parts/told.tsx';
import { useDraft } from '../settings/draft.ts';
import { DraftForm } from '../settings/draft-form.tsx';
import { SaveBar } from '../settings/save-bar.tsx';
import { useSave } from '../settings/use-save.ts';
import { AddressFields } from './address-fields.tsx';
import { Archive } from './archive.tsx';
import { asSent, CustomerFields, draftOf, fieldsShown } from './customer-fields.tsx';
import { customerQuery } from './customer-queries.ts';
import { LegalHold } from './legal-hold.tsx';
import { Decisions } from './opt-outs.tsx';
import { isKept, sourceInWords } from './source-words.ts';
import { TakeAlong } from './take-along.tsx';
import { useLeaveKey } from './use-write-keys.ts';
import classes from './workspace.module.css';

/** All that is known of the customer, to be changed, and who changed it before. */
export default function CustomerDetails({ customer }: { customer: CustomerDetail }) {
  const { id } = customer;
  const fields = useRef<HTMLDivElement>(null);
  useLeaveKey(fields);
  return (
    <Stack gap="lg" p="md" className={classes.known} ref={fields}>
      <Edit customer={customer} />
      <Decisions customerId={id} />
      <OtherIds customer={customer} />
      <Archive customer={customer} />
      <LegalHold customerId={id} />
      <TakeAlong customer={customer} />
      <Erase customerId={id} />
      <WhoChanged
        queryKey={customerQuery(id).queryKey}
        ask={(query, signal) =>
          dataOf(api.GET('/ops/customers/{id}/history', { params: { path: { id }, query }, signal }))
        }
      />
    </Stack>
  );
}

function Edit({ customer }: { customer: Customer }) {
  const { id, name, phones, emails, version } = customer;
  const draft = useDraft(`customer:${id}`, draftOf(customer), version);
  const save = useSave({
    draft,
    queryKey: customerQuery(id).queryKey,
    send: (body, header) =>
      dataOf(api.PATCH('/ops/customers/{id}', { params: { path: { id }, header }, body: asSent(body) })),
    saved: (saved) => tell(`${saved.name} is saved.`),
  });
  return (
    <DraftForm className={classes.details} draft={draft} save={save}>
      <CustomerFields
        draft={draft.value}
        write={draft.write}
        problem={save.problem}
        said={(field) => sourceInWords(customer.sources, field, dayOf)}
        addresses={<AddressFields customer={customer} draft={draft.value} write={draft.write} problem={save.problem} />}
      />
      {isKept(customer) && (
        <Text size="sm" c="var(--text-quiet)">
          What is set here stays as it is when another system or a file says otherwise.
        </Text>
      )}
      <SaveBar draft={draft} save={save} fields={fieldsShown} theirs={[name, ...phones, ...emails].join(', ')} />
    </DraftForm>
  );
}
