import { unavailable } from '../errors.ts';
import { BusyError, createTurns, type InTurn, type TurnLimits } from '../process/turns.ts';

/**
 * So many requests are worked on; who has waited too long for that is told to come again, while those who came before are
 * served: of a queue that only grows nobody would get anything in time. Whoever is still sending takes no room.
 */
export function createRoom(limits: TurnLimits): InTurn {
  const inTurn = createTurns(limits);
  return (work) =>
    inTurn(work).catch((error: unknown) => {
      throw error instanceof BusyError ? unavailable('Too much is asked at once', 1, error) : error;
    });
}
