/** The form in which addresses are stored and compared. In practice, mail servers do not distinguish upper and lower case. */
export function normaliseEmail(email: string): string {
  return email.normalize('NFC').toLowerCase();
}
