import type { RetentionRun } from '../api/types.ts';
import classes from './retention.module.css';
import { type ServiceName, serviceLabels } from './service-names.ts';

/** Where it lies, and how much of it; nothing of where there is none. */
export const RetentionPlaces = ({ places }: Pick<RetentionRun, 'places'>) => (
  <ul className={classes.places}>
    {places
      .filter(({ rows }) => rows > 0)
      .map(({ service, place, rows }) => (
        <li key={service + place}>
          {serviceLabels[service as ServiceName] ?? service}, {place.replaceAll('_', ' ')}: {rows}
        </li>
      ))}
  </ul>
);
