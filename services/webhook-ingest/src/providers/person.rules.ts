/** Country, dot, letters and digits: the messaging app's id of somebody who shows no phone number. */
const userIdForm = /^[A-Z]{2}(\.ENT)?\.[A-Za-z0-9]+$/;
const phoneForm = /^\+?\d{5,20}$/;

export const userIdOf = (given: string | undefined): string | null =>
  given !== undefined && userIdForm.test(given) ? given : null;

/** Whatever has only digits is taken for a phone: whether it is a good one is not for the door to decide. */
export const phoneOf = (given: string | undefined): string | null =>
  given !== undefined && phoneForm.test(given) ? `+${given.replace(/^\+/, '')}` : null;
