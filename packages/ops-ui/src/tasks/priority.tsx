import { IconAlertTriangleFilled, IconChevronsUp } from '@tabler/icons-react';
import type { Priority } from './task.ts';
import classes from './tasks.module.css';

/** In words, and in the colour that says the same. */
export const PriorityWord = ({ priority }: { priority: Priority }) => (
  <span className={classes.priority} data-priority={priority}>
    {priority === 'URGENT' && <IconAlertTriangleFilled size={14} aria-hidden />}
    {priority === 'HIGH' && <IconChevronsUp size={14} aria-hidden />}
    {priority}
  </span>
);
