/** Why a field was not taken, as a sentence for whoever filled it in. */
export const fieldWords = (message: string): string => message.charAt(0).toUpperCase() + message.slice(1);
