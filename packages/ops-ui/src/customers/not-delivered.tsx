import { Button, Group, Menu, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { asProblem } from '../api/problem.ts';
import type { Communication } from '../api/types.ts';
import { useAgentNames } from '../parts/agents.tsx';
import { channelNames } from '../parts/channels.tsx';
import { exactly } from '../parts/dates.tsx';
import { tell } from '../parts/told.tsx';
import { asSentence } from '../parts/words.ts';
import { type Kind, kinds, leavesTheFirm } from './compose.ts';
import { handOver } from './hand-over.ts';
import { unsigned } from './signature.ts';

/** The same words by another channel, for a person to look at before they leave. */
export function ByAnotherChannel({
  record: { customer_id, type, subject, body, attachments },
}: {
  record: Communication;
}) {
  const navigate = useNavigate();
  const { id } = useParams({ strict: false });
  const go = async (kind: Kind) => {
    if (id !== customer_id) await navigate({ to: '/customers/$id', params: { id: customer_id } });
    // A signature is of e-mails, and none goes along by another channel.
    const words = type === 'EMAIL' ? unsigned(body).words : body;
    handOver(customer_id, kind, { subject: subject ?? '', body: words });
    if (attachments.length > 0) tell('Its words are where you write. Its files are to be added anew.');
  };
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button size="compact-xs" variant="default">
          By another channel
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {kinds
          .filter((kind) => leavesTheFirm(kind) && kind !== type)
          .map((kind) => (
            <Menu.Item key={kind} onClick={() => go(kind)}>
              {channelNames[kind]}
            </Menu.Item>
          ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** It stays failed, and leaves the list of what somebody has to look at. */
export function SettleOtherwise({ id }: { id: string }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const [note, setNote] = useState('');
  const settle = useMutation({
    mutationFn: () => api.POST('/ops/communications/{id}/settle', { params: { path: { id } }, body: { note } }),
  });
  if (!isOpen)
    return (
      <Button size="compact-xs" variant="default" onClick={open} data-settle>
        Settled otherwise
      </Button>
    );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        settle.mutate();
      }}
    >
      <Group gap="xs">
        <TextInput
          size="xs"
          value={note}
          onChange={({ currentTarget }) => setNote(currentTarget.value)}
          placeholder="How, such as by phone"
          aria-label="How it was settled"
          maxLength={1_000}
          data-autofocus
          autoFocus
        />
        <Button size="compact-xs" type="submit" loading={settle.isPending} disabled={note.trim() === ''}>
          Settled
        </Button>
        <Button size="compact-xs" variant="default" onClick={close}>
          Not yet
        </Button>
      </Group>
      {settle.error && <Text size="sm">{asProblem(settle.error).message}</Text>}
    </form>
  );
}

export function Settled({ settled: { at, by, note } }: { settled: NonNullable<Communication['settled']> }) {
  const agentOf = useAgentNames();
  return (
    <Text size="sm" title={exactly(at)}>
      Settled otherwise by {agentOf(by)}
      {note && `: ${asSentence(note)}`}
    </Text>
  );
}
