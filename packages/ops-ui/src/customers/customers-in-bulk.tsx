import { useMutation } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import type { Customer } from '../api/types.ts';
import { useAgentNames } from '../parts/agents.tsx';
import { BulkBar } from '../parts/bulk-bar.tsx';
import { giveAll } from '../parts/give-all.ts';
import { tellProblem } from '../parts/told.tsx';

interface CustomersInBulkProps {
  customers: readonly Customer[];
  clear(): void;
  backToRow(): void;
}

const settled = () =>
  Promise.all(['customers', 'customer', 'attention'].map((root) => queries.invalidateQueries({ queryKey: [root] })));

async function give(customer_ids: string[], assigned_agent: string | null): Promise<string[]> {
  const { data } = await dataOf(
    api.POST('/ops/customers/assign', {
      params: { header: { 'Idempotency-Key': crypto.randomUUID() } },
      body: { customer_ids, assigned_agent },
    }),
  );
  return data.flatMap(({ customer_id, outcome }) => (outcome === 'assigned' ? [customer_id] : []));
}

/** What is done to all customers that are selected. */
export function CustomersInBulk({ customers, clear, backToRow }: CustomersInBulkProps) {
  const nameOf = useAgentNames();
  const assign = useMutation({
    mutationFn: (agent: string | null) => giveAll({ items: customers, agent, give, nameOf, settled }),
    onError: tellProblem,
    onSettled: settled,
  });
  return (
    <BulkBar
      label="Selected customers"
      count={customers.length}
      isBusy={assign.isPending}
      give={(agent, onSuccess) => assign.mutate(agent, { onSuccess })}
      clear={clear}
      backToRow={backToRow}
    />
  );
}
