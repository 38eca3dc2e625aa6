import { serviceNames } from '@ops/contracts/routes';
import type { RabbitNode } from '@ops/test-kit/rabbitmq-node';
import type { System } from '@ops/test-system/system';

/** After which of so many messages what is killed: everything once a round, the broker included, spread over the whole. */
export function everythingInTurn(
  system: System,
  broker: RabbitNode | undefined,
  { messages, rounds }: { messages: number; rounds: number },
): Map<number, () => Promise<void>> {
  const again = (name: string) => () => system.kill(name).then(() => system.restart(name));
  const one = [...serviceNames, 'gateway', 'dev-idp'].map(again);
  if (broker) one.push(() => broker.kill().then(() => broker.start()));
  const all = Array.from({ length: rounds }, () => one).flat();
  return new Map(all.map((blow, i) => [Math.floor(((i + 1) * messages) / (all.length + 1)), blow]));
}
