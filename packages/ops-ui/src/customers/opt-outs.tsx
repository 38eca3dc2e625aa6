import { Button, Group, Text } from '@mantine/core';
import { IconBellOff } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { inPages } from '../api/pages.ts';
import { asProblem } from '../api/problem.ts';
import type { CustomerIdentifier, OptOut } from '../api/types.ts';
import { useAgentNames } from '../parts/agents.tsx';
import { instantOf, When } from '../parts/dates.tsx';
import { useNewDraft } from '../parts/new-draft.ts';
import { Refusal } from '../parts/refusal.tsx';
import { ShowMore } from '../parts/show-more.tsx';
import { Failed, Loading } from '../parts/states.tsx';
import { useOpener } from '../parts/use-opener.ts';
import { Why } from '../parts/why.tsx';
import { type Channel, channelsOf, decisionInWords, spoken, standingInWords } from './opt-out-words.ts';
import classes from './workspace.module.css';

/** What machines may not send to an address, since when and by whom it was decided; staff decide otherwise here. */
export const OptOuts = ({ customerId, identifier }: AddressProps) => (
  <>
    {channelsOf[identifier.kind].map((channel) => (
      <ByChannel key={channel} customerId={customerId} identifier={identifier} channel={channel} />
    ))}
  </>
);

interface AddressProps {
  customerId: string;
  identifier: CustomerIdentifier;
}

function ByChannel({ channel, identifier, ...rest }: AddressProps & { channel: Channel }) {
  const { isOpen, toggles, close } = useOpener();
  const standing = identifier.opted_out[channel];
  return (
    <>
      <Group gap="xs" mt={2}>
        {standing && <IconBellOff size={14} aria-hidden />}
        <Text size="sm" c={standing ? undefined : 'var(--text-quiet)'}>
          {standing
            ? standingInWords(channel, standing, instantOf(standing.at))
            : `Automated messages may come by ${spoken[channel]}`}
        </Text>
        <Button
          size="compact-xs"
          variant="default"
          {...toggles}
          aria-label={`${standing ? 'Lift the opt-out of' : 'Opt out of'} ${spoken[channel]} for ${identifier.value}`}
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
  const decide = () => {
    setTried(true);
    if (reason !== '') set.mutate(reason);
  };
  const problem = set.error && asProblem(set.error);
  return (
    <fieldset
      aria-label={optedOut ? `Opt out of ${spoken[channel]}` : `Lift the opt-out of ${spoken[channel]}`}
      className={classes.decide}
    >
      <Group gap="sm" align="flex-start" mt={4}>
        <Why
          placeholder={optedOut ? 'Why, such as: asked on the phone' : 'Why, such as: asked for them again'}
          value={draft.reason}
          write={(text) => write({ reason: text })}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            // It stands among the fields of another form, which is not to be saved by it.
            event.preventDefault();
            decide();
          }}
          isMissing={tried && reason === ''}
          refused={problem?.field('reason')}
        />
        <Button size="xs" loading={set.isPending} onClick={decide}>
          {optedOut ? 'Send no automated messages' : 'Send automated messages again'}
        </Button>
        <Button size="xs" variant="subtle" color="gray" onClick={close}>
          Cancel
        </Button>
      </Group>
      {problem && <Refusal problem={problem} fields={['reason']} />}
    </fieldset>
  );
}

/** All that was decided about being written to by machines, newest first. */
export function Decisions({ customerId }: { customerId: string }) {
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
    <section aria-label="Opt-outs, as they were decided">
      <h2 className={classes.subtitle}>Opt-outs, as they were decided</h2>
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
