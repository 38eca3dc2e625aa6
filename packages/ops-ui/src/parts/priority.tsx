import { IconAlertTriangleFilled, IconArrowUp } from '@tabler/icons-react';
import type { Task } from '../api/types.ts';
import classes from './priority.module.css';

const names = { URGENT: 'Urgent', HIGH: 'High', NORMAL: 'Normal' } as const;

export const PriorityBadge = ({ priority }: { priority: Task['priority'] }) => (
  <span className={classes.priority} data-priority={priority}>
    {priority === 'URGENT' && <IconAlertTriangleFilled size={12} aria-hidden />}
    {priority === 'HIGH' && <IconArrowUp size={12} aria-hidden />}
    {names[priority]}
  </span>
);
