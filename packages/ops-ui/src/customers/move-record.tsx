import { Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { asProblem } from '../api/problem.ts';
import type { Communication, Customer } from '../api/types.ts';
import { tell, tellProblem } from '../parts/told.tsx';
import { CustomerPicker } from './customer-picker.tsx';
import classes from './thread.module.css';

const moveTo = (id: string, customer_id: string) =>
  api.POST('/ops/communications/{id}/move', { params: { path: { id } }, body: { customer_id } });

/** To whose log it belongs. It can be moved back from there the same way. */
export default function MoveRecord({ record: { id, customer_id }, close }: { record: Communication; close(): void }) {
  const [to, setTo] = useState<Customer>();
  const move = useMutation({
    mutationFn: (target: string) => moveTo(id, target),
    onSuccess: () => {
      tell(`Moved to ${to?.name ?? 'the other log'}.`, () => moveTo(id, customer_id).catch(tellProblem));
      close();
    },
  });
  return (
    <div className={classes.change}>
      <CustomerPicker label="Whose it is" value={to?.id ?? null} onPick={setTo} />
      <Group gap="xs">
        <Button
          size="compact-sm"
          disabled={!to || to.id === customer_id}
          loading={move.isPending}
          onClick={() => to && move.mutate(to.id)}
        >
          Move
        </Button>
        <Button size="compact-sm" variant="default" onClick={close}>
          Leave it here
        </Button>
      </Group>
      {move.error && <Text size="sm">Not moved. {asProblem(move.error).message}</Text>}
    </div>
  );
}
