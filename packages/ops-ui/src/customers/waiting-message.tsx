import { Button, Group, Text, Textarea, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { asProblem } from '../api/problem.ts';
import type { Communication } from '../api/types.ts';
import { useNow } from '../parts/dates.tsx';
import { tell } from '../parts/told.tsx';
import { seenInLog } from './communication-queries.ts';
import { answeredOf, type Draft, kinds } from './compose.ts';
import { handOver } from './hand-over.ts';
import { Later } from './later.tsx';
import { unsigned } from './signature.ts';
import classes from './thread.module.css';

/** Long enough for what leaves at once to have left. */
const leavingMs = 60_000;

/** What has not left yet can be changed, and called back. That of an alert is stopped at its renewal. */
export function WaitingMessage({ record }: { record: Communication }) {
  const { automated, renewal_id, send_after, created_at } = record;
  const now = useNow();
  const [isChanging, { open, close }] = useDisclosure(false);
  const waits = (send_after !== null && Date.parse(send_after) > now) || Date.parse(created_at) < now - leavingMs;
  if (!waits || (automated && renewal_id !== null)) return null;
  if (isChanging) return <ChangeForm record={record} close={close} />;
  return (
    <Group gap="xs" justify="flex-end">
      <Button size="compact-xs" variant="default" onClick={open}>
        Change
      </Button>
      <CallBack record={record} />
    </Group>
  );
}

/** The words come back to where they were written, for the same time and as the same answer. */
function CallBack({ record }: { record: Communication }) {
  const { id, customer_id, type, attachments } = record;
  const call = useMutation({
    mutationFn: () => api.POST('/ops/communications/{id}/cancel', { params: { path: { id } } }),
    onSuccess: () => {
      const kind = kinds.find((one) => one === type);
      if (kind) handOver(customer_id, kind, writtenAs(record));
      const files = attachments.length > 0 ? ' Its files are to be added anew.' : '';
      tell(`Called back: it does not leave. Its words are where you write.${files}`);
    },
  });
  return (
    <>
      <Button size="compact-xs" variant="default" loading={call.isPending} onClick={() => call.mutate()}>
        Call back
      </Button>
      {call.error && <Text size="sm">Not called back. {asProblem(call.error).message}</Text>}
    </>
  );
}

function writtenAs({ customer_id, type, subject, body, send_after, in_reply_to }: Communication): Draft {
  const answered = in_reply_to === null ? null : seenInLog(customer_id, in_reply_to);
  const isUnsigned = type === 'EMAIL' && unsigned(body).signature === null;
  const answers = answered && answeredOf(answered);
  return { subject: subject ?? '', body, leavesAt: send_after, answers, isUnsigned };
}

function ChangeForm({ record, close }: { record: Communication; close(): void }) {
  const { id, type } = record;
  const [body, setBody] = useState(record.body);
  const [subject, setSubject] = useState(record.subject ?? '');
  const [leavesAt, setLeavesAt] = useState(record.send_after);
  const save = useMutation({
    mutationFn: () =>
      api.PATCH('/ops/communications/{id}', {
        params: { path: { id } },
        body: {
          ...(body !== record.body && { body }),
          send_after: leavesAt,
          ...(type === 'EMAIL' && { subject: subject.trim() || null }),
        },
      }),
    onSuccess: close,
  });
  return (
    <form
      className={classes.change}
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      {type === 'EMAIL' && (
        <TextInput
          value={subject}
          onChange={({ currentTarget }) => setSubject(currentTarget.value)}
          label="Subject"
          maxLength={998}
        />
      )}
      <Textarea
        value={body}
        onChange={({ currentTarget }) => setBody(currentTarget.value)}
        label="Words"
        autosize
        minRows={2}
        maxRows={12}
        data-autofocus
      />
      <Group gap="xs">
        <Later value={leavesAt} change={setLeavesAt} />
        <Button
          size="compact-sm"
          type="submit"
          loading={save.isPending}
          disabled={body.trim() === '' && record.body !== ''}
        >
          {leavesAt === null ? 'Save, and send now' : 'Save'}
        </Button>
        <Button size="compact-sm" variant="default" onClick={close}>
          Leave it as it is
        </Button>
      </Group>
      {save.error && <Text size="sm">Not changed. {asProblem(save.error).message}</Text>}
    </form>
  );
}
