import type { Renewal } from '../api/types.ts';
import { useAgentNames } from '../parts/agents.tsx';
import { BulkBar } from '../parts/bulk-bar.tsx';
import { useAssign } from './renewal-changes.ts';

interface RenewalsInBulkProps {
  renewals: readonly Renewal[];
  clear(): void;
  backToRow(): void;
}

export function RenewalsInBulk({ renewals, clear, backToRow }: RenewalsInBulkProps) {
  const assign = useAssign(useAgentNames());
  return (
    <BulkBar
      label="Selected renewals"
      count={renewals.length}
      isBusy={assign.isPending}
      give={(agent, onSuccess) => assign.mutate({ renewals, agent }, { onSuccess })}
      clear={clear}
      backToRow={backToRow}
    />
  );
}
