import { publicUrlOf, type Settings } from '#libs/kernel/system';

/** The URL of the hosted invoice page for a token. */
export function hostedInvoiceUrl(
  settings: Pick<Settings, 'publicUrl' | 'host' | 'port'>,
  token: string,
): string {
  return `${publicUrlOf(settings)}/i/${token}`;
}
