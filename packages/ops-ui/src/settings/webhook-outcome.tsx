import type { WebhookDelivery } from '../api/types.ts';
import classes from './settings.module.css';
import { outcomeWords } from './webhook-words.ts';

const colours: Record<WebhookDelivery['outcome'], string | undefined> = {
  processed: classes.good,
  partly: classes.missing,
  not_understood: classes.missing,
  duplicate: classes.quiet,
};

export const WebhookOutcome = ({ delivery: { outcome } }: { delivery: Pick<WebhookDelivery, 'outcome'> }) => (
  <span className={colours[outcome]}>{outcomeWords[outcome]}</span>
);
