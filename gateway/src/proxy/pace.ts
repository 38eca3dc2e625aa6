/** Goes on with one piece of a body, when it is its turn. */
export type Pace = (goOn: () => void) => void;

/**
 * So many pieces between two looks at everything else: a flood of bodies, each of which waits for its turn unread, leaves
 * room for whoever works here. One that comes slowly has nothing that waits, and holds up nobody.
 */
export function createPace(piecesAtOnce: number): Pace {
  const waiting: (() => void)[] = [];
  let isPlanned = false;
  const turn = () => {
    // Whoever goes on may have its next piece at hand, which waits for another turn.
    for (const goOn of waiting.splice(0, piecesAtOnce)) goOn();
    isPlanned = waiting.length > 0;
    if (isPlanned) setImmediate(turn);
  };
  return (goOn) => {
    waiting.push(goOn);
    if (isPlanned) return;
    isPlanned = true;
    setImmediate(turn);
  };
}
