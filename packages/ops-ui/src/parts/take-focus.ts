/** As the `ref` of a field that somebody has just asked for: they can type at once. */
export const takeFocus = (field: HTMLElement | null): void => field?.focus();
