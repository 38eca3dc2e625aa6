import urgency from '../parts/urgency.module.css';
import { type Rung, rungInWords } from './rung-names.ts';

/** A step of the ladder in words, and in the colour that says the same. */
export const RungName = ({ rung }: { rung: Rung }) => (
  <span className={urgency.days} data-urgency={rung === 'OVERDUE' ? 'overdue' : rung}>
    {rungInWords(rung)}
  </span>
);
