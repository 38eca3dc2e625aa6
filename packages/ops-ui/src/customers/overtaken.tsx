import { Button, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { asProblem, type ProblemError } from '../api/problem.ts';
import type { Communication } from '../api/types.ts';
import { inOwnDays } from '../parts/dates.tsx';
import { takeFocus } from '../parts/take-focus.ts';
import { asSentence } from '../parts/words.ts';
import { channels } from '../settings/template-names.ts';
import { handOver } from './hand-over.ts';
import { type NewestAlert, todaysWords } from './todays-words.ts';

/** What the message says does not hold any more: why, and the way to what does. */
export function Overtaken({ record, problem }: { record: Communication; problem: ProblemError }) {
  const { newest_alert } = problem.problem;
  return (
    <>
      <Text size="sm" role="alert" tabIndex={-1} ref={takeFocus}>
        Not sent again. {asSentence(inOwnDays(problem.message))}
      </Text>
      {newest_alert && <SendTodays record={record} newest={newest_alert} />}
    </>
  );
}

/** A person looks at the words before they leave. */
function SendTodays({ record, newest }: { record: Communication; newest: NewestAlert }) {
  const { customer_id: customerId } = record;
  const renewalId = newest.renewal_id ?? record.renewal_id;
  const channel = channels.find((one) => one === record.type);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { id } = useParams({ strict: false });
  const fetching = useMutation({
    mutationFn: (addressed: Parameters<typeof todaysWords>[1]) => todaysWords(queries, addressed, newest),
    onSuccess: async (words, { channel: kind }) => {
      if (id !== customerId) await navigate({ to: '/customers/$id', params: { id: customerId } });
      handOver(customerId, kind, words);
    },
  });
  if (renewalId === null || channel === undefined) return null;
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        loading={fetching.isPending}
        onClick={() => fetching.mutate({ customerId, renewalId, channel })}
      >
        Send today’s instead
      </Button>
      {fetching.error && <Text size="sm">{asProblem(fetching.error).message}</Text>}
    </>
  );
}
