import type { FoundCommunication } from '../api/types.ts';
import classes from './search.module.css';

/** What was said around a hit, with each hit marked. */
export const Snippet = ({ pieces }: { pieces: FoundCommunication['snippet'] }) => (
  <span className={classes.snippet}>
    {pieces.map(({ text, hit }, n) => (hit ? <mark key={n}>{text}</mark> : <span key={n}>{text}</span>))}
  </span>
);
