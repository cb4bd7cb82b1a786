// A message about a question, apart from the question itself.

/** `Weight: Write a number.`; after a label with a mark of its own, `Short of breath? Write an answer.` */
export function labelled(label: string, message: string): string {
  if (label === '') return message;
  return /[.:!?…]$/.test(label) ? `${label} ${message}` : `${label}: ${message}`;
}
