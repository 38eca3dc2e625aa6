import { Badge, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useRef, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { inPages } from '../api/pages.ts';
import { asProblem } from '../api/problem.ts';
import type { Customer, CustomerIdentifier, OptOut } from '../api/types.ts';
import { useAgentNames } from '../parts/agents.tsx';
import { instantOf, When } from '../parts/dates.tsx';
import { useNewDraft } from '../parts/new-draft.ts';
import { Refusal } from '../parts/refusal.tsx';
import { ShowMore } from '../parts/show-more.tsx';
import { Empty, Failed, Loading } from '../parts/states.tsx';
import { type Channel, channelsOf, decisionInWords, spoken, standingInWords } from './opt-out-words.ts';
import { givenInWords } from './source-words.ts';
import classes from './workspace.module.css';

const kindNames = { phone: 'Phone', email: 'E-mail', user_id: 'Id at the messaging app' } as const;

/** By what the customer is known, what machines may not be sent there, and who decided so. */
export default function CustomerAddresses({ customer }: { customer: Customer }) {
  return (
    <Stack gap="lg" p="md" className={classes.addresses}>
      {customer.identifiers.length === 0 && <Empty>No address of this customer is known.</Empty>}
      {customer.identifiers.map((identifier) => (
        <Address key={`${identifier.kind} ${identifier.value}`} customerId={customer.id} identifier={identifier} />
      ))}
      <Decisions customerId={customer.id} />
    </Stack>
  );
}

interface AddressProps {
  customerId: string;
  identifier: CustomerIdentifier;
}

function Address({ customerId, identifier }: AddressProps) {
  const { kind, value, primary, source, given_by } = identifier;
  return (
    <section aria-label={value}>
      <Group gap="xs">
        <Text fw={600}>{value}</Text>
        <Text size="sm" c="var(--text-quiet)">
          {kindNames[kind]}
          {source === 'learned' && ', learned from a message'}
          {given_by !== null && `, ${givenInWords[given_by]}`}
        </Text>
        {primary && <Badge variant="default">Primary</Badge>}
      </Group>
      {channelsOf[kind].map((channel) => (
        <ByChannel key={channel} customerId={customerId} identifier={identifier} channel={channel} />
      ))}
    </section>
  );
}

function ByChannel({ channel, identifier, ...rest }: AddressProps & { channel: Channel }) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const standing = identifier.opted_out[channel];
  return (
    <>
      <Group gap="sm" mt={4}>
        <Text size="sm">
          {standing
            ? standingInWords(channel, standing, instantOf(standing.at))
            : `Automated messages may come by ${spoken[channel]}`}
        </Text>
        <Button
          size="compact-xs"
          variant="default"
          ref={button}
          aria-expanded={isOpen}
          aria-label={`${standing ? 'Lift the opt-out of' : 'Opt out of'} ${spoken[channel]} for ${identifier.value}`}
          onClick={() => setOpen(!isOpen)}
        >
          {standing ? 'Lift…' : 'Opt out…'}
        </Button>
      </Group>
      {isOpen && <Decide {...rest} identifier={identifier} channel={channel} optedOut={!standing} close={close} />}
    </>
  );
}

interface DecideProps extends AddressProps {
  channel: Channel;
  optedOut: boolean;
  close(): void;
}

function Decide({ customerId, identifier: { kind, value }, channel, optedOut, close }: DecideProps) {
  const { draft, write, forget } = useNewDraft(`opt-out ${customerId} ${value} ${channel} ${optedOut}`, { reason: '' });
  const set = useMutation({
    mutationFn: (reason: string) =>
      dataOf(
        api.PUT('/ops/customers/{id}/opt-outs', {
          params: { path: { id: customerId } },
          body: { kind, value, channel, opted_out: optedOut, reason },
        }),
      ),
    onSuccess: () => {
      forget();
      close();
    },
  });
  const [tried, setTried] = useState(false);
  const reason = draft.reason.trim();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (reason !== '') set.mutate(reason);
  };
  const problem = set.error && asProblem(set.error);
  return (
    <form onSubmit={submit} noValidate>
      <Group gap="sm" align="flex-start" mt={4}>
        <TextInput
          size="xs"
          autoFocus
          aria-label="Why"
          placeholder={optedOut ? 'Why, such as: asked on the phone' : 'Why, such as: asked for them again'}
          value={draft.reason}
          onChange={({ currentTarget }) => write({ reason: currentTarget.value })}
          error={tried && reason === '' ? 'Say why.' : problem?.field('reason')}
          maxLength={500}
          w={320}
        />
        <Button size="xs" type="submit" loading={set.isPending}>
          {optedOut ? 'Send no automated messages' : 'Send automated messages again'}
        </Button>
        <Button size="xs" variant="subtle" color="gray" onClick={close}>
          Cancel
        </Button>
      </Group>
      {problem && <Refusal problem={problem} fields={['reason']} />}
    </form>
  );
}

function Decisions({ customerId }: { customerId: string }) {
  const query = useInfiniteQuery(
    inPages(['opt-outs', customerId], ({ cursor, signal }) =>
      dataOf(
        api.GET('/ops/customers/{id}/opt-outs', {
          params: { path: { id: customerId }, query: { limit: 20, ...cursor } },
          signal,
        }),
      ),
    ),
  );
  const { data, error, isPending, refetch } = query;
  if (isPending) return <Loading />;
  if (!data) return <Failed problem={asProblem(error)} again={refetch} />;
  const decisions = data.pages.flatMap((page) => page.data);
  if (decisions.length === 0) return null;
  return (
    <section aria-label="What was decided">
      <h2 className={classes.subtitle}>What was decided</h2>
      <ol className={classes.lines}>
        {decisions.map((one) => (
          <Decision key={one.id + one.value} decision={one} customerId={customerId} />
        ))}
      </ol>
      <ShowMore size="compact-sm" variant="subtle" query={query}>
        Older
      </ShowMore>
    </section>
  );
}

function Decision({ decision, customerId }: { decision: OptOut; customerId: string }) {
  const nameOf = useAgentNames();
  const { reason, communication_id, at } = decision;
  return (
    <li>
      <span>
        {decisionInWords(decision, nameOf)}
        {reason !== null && (
          <>
            , <q>{reason}</q>
          </>
        )}
        {communication_id !== null && (
          <>
            {' '}
            <Link to="/customers/$id" params={{ id: customerId }} search={{ message: communication_id }}>
              Show the message
            </Link>
          </>
        )}
      </span>
      <Text size="sm" c="var(--text-quiet)" ml="auto">
        <When at={at} />
      </Text>
    </li>
  );
}
