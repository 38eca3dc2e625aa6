import type { QueuedRenewal } from '../api/types.ts';

type RiskReason = QueuedRenewal['reasons'][number];

const words: Record<RiskReason, string> = {
  no_task: 'no task is open',
  task_unassigned: 'nobody has its task',
  agent_absent: 'who has its task is absent',
  nothing_reached: 'no message has reached the customer',
  no_answer: 'nobody answered or started',
};

/** Why it may be missed, such as "no task is open, no message has reached the customer, nobody answered or started". */
export const riskInWords = (reasons: readonly RiskReason[]): string =>
  reasons.map((reason) => words[reason]).join(', ');
