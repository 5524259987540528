import { isSwissAccount, type Seller } from '#libs/contexts/invoicing';

/** The checks that run before a sandbox goes live. */
export const GO_LIVE_CHECKS = [
  'email_address',
  'seller',
  'taxes',
  'plans',
  'payment_gateway',
  'mail',
  'public_url',
] as const;

/** `failed` prevents going live. A `warning` does not. */
export const GO_LIVE_CHECK_STATUSES = ['ok', 'warning', 'failed'] as const;

export interface GoLiveCheck {
  readonly check: (typeof GO_LIVE_CHECKS)[number];
  readonly status: (typeof GO_LIVE_CHECK_STATUSES)[number];
  /** What to do. Null if the check is ok. */
  readonly remedy: string | null;
}

/** The facts that are checked. */
export interface GoLiveFacts {
  /** True if the user who goes live, or who created the API key that does, has proved to read mail at the address. */
  readonly isAddressProved: boolean;
  readonly seller: Seller | null;
  readonly hasDefaultTaxRates: boolean;
  /** The number of the sandbox's plans. */
  readonly planCount: number;
  /**
   * The state of the secret key of the payment gateway. `live` or `test`: Stripe accepts the key, and the key belongs to this mode of
   * Stripe. `refused`: Stripe does not accept the key. `unchecked`: Stripe gave no answer. `missing`: the request has no key.
   */
  readonly gatewayKey: 'live' | 'test' | 'refused' | 'unchecked' | 'missing';
  /** True if the request says that the live workspace starts without a payment gateway. */
  readonly withoutGateway: boolean;
  readonly sendsMail: boolean;
  /** The address of the API that is used in links; undefined if no address is configured. */
  readonly publicUrl: string | undefined;
}

/** Checks whether a sandbox can go live. */
export function runGoLiveChecks(facts: GoLiveFacts): GoLiveCheck[] {
  const { isAddressProved, seller, hasDefaultTaxRates, planCount, sendsMail, publicUrl } = facts;
  return [
    isAddressProved
      ? ok('email_address')
      : failed(
          'email_address',
          'Prove that you read mail at your address: send POST /v1/auth/magic-link with it, and open the link of the mail',
        ),
    sellerCheck(seller),
    seller?.taxId || seller?.taxExemptReason || hasDefaultTaxRates
      ? ok('taxes')
      : warning(
          'taxes',
          'Set seller.taxId or defaultTaxRateIds with PUT /v1/billing-settings, if you charge tax',
        ),
    planCount > 0
      ? ok('plans')
      : failed('plans', 'Make a plan with POST /v1/plans and try it in the sandbox first'),
    gatewayCheck(facts),
    sendsMail
      ? ok('mail')
      : warning('mail', 'Nothing is sent until the operator sets MAIL_URL and MAIL_FROM'),
    publicUrl?.startsWith('https://')
      ? ok('public_url')
      : warning(
          'public_url',
          'The operator must set PUBLIC_URL to an https address that customers and Stripe can reach',
        ),
  ];
}

function sellerCheck(seller: Seller | null): GoLiveCheck {
  if (!seller?.legalName || !seller.address)
    return failed(
      'seller',
      'Set seller.legalName and seller.address with PUT /v1/billing-settings; invoices must show them',
    );
  if (seller.bankAccount && isSwissAccount(seller.bankAccount) && !seller.address.postalCode)
    return warning(
      'seller',
      'Set seller.address.postalCode with PUT /v1/billing-settings; without it no invoice has a QR-bill',
    );
  return ok('seller');
}

function gatewayCheck({ gatewayKey, withoutGateway }: GoLiveFacts): GoLiveCheck {
  switch (gatewayKey) {
    case 'live':
      return ok('payment_gateway');
    case 'test':
      return warning(
        'payment_gateway',
        'The key is of the test mode of Stripe, so charges move no money; replace it before you bill',
      );
    case 'refused':
      return failed(
        'payment_gateway',
        'Stripe refuses the key; copy the secret key from https://dashboard.stripe.com/apikeys',
      );
    case 'unchecked':
      return failed('payment_gateway', 'Stripe gave no answer, so the key could not be checked; try again');
    case 'missing':
      return withoutGateway
        ? warning(
            'payment_gateway',
            'No card is charged until Stripe is connected with PUT /v1/payment-gateway',
          )
        : failed(
            'payment_gateway',
            'Send secretKey, the secret key of Stripe, or withoutPaymentGateway: true',
          );
  }
}

function ok(check: GoLiveCheck['check']): GoLiveCheck {
  return { check, status: 'ok', remedy: null };
}

function warning(check: GoLiveCheck['check'], remedy: string): GoLiveCheck {
  return { check, status: 'warning', remedy };
}

function failed(check: GoLiveCheck['check'], remedy: string): GoLiveCheck {
  return { check, status: 'failed', remedy };
}
