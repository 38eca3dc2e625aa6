import type { ProblemError } from '../api/problem.ts';
import classes from './refusal.module.css';

interface RefusalProps {
  problem: ProblemError;
  /** Fields that tell their own problems, `phones.*` one that does so for its lines; those of all others are told here. */
  fields: readonly string[];
}

/** What `phones.0` and `phones.1` are told by. */
const anyLine = (path: string) => path.replace(/\.\d+$/, '.*');

/** Below a form: that it was not taken, and why as far as no field says so. */
export function Refusal({ problem, fields }: RefusalProps) {
  const { errors = [] } = problem.problem;
  const isToldAtField = (path: string) => fields.includes(path) || fields.includes(anyLine(path));
  const elsewhere = errors.filter(({ path }) => !isToldAtField(path));
  return (
    <div role="alert" className={classes.refusal}>
      <p>
        {errors.length > 0 ? 'Not saved: something here cannot be taken as it is.' : `Not saved: ${problem.message}`}
      </p>
      {elsewhere.length > 0 && (
        <ul>
          {elsewhere.map(({ path, message }) => (
            <li key={path + message}>
              {path}: {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
