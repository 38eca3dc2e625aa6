import type { ServiceName } from '@ops/contracts/routes';
import { unavailable } from '@ops/service-kit/errors';
import type { Response } from 'express';

/** Who comes when a service has as many requests under way as may be is told to come again at once: they would only wait there. */
export function createServiceRoom(most: number) {
  const underWay = new Map<ServiceName, number>();
  const count = (service: ServiceName) => underWay.get(service) ?? 0;
  return (service: ServiceName, res: Response): void => {
    if (count(service) >= most) throw unavailable(`${service} has more to do than it can`, 1);
    underWay.set(service, count(service) + 1);
    res.once('close', () => underWay.set(service, count(service) - 1));
  };
}

export type EnterService = ReturnType<typeof createServiceRoom>;
