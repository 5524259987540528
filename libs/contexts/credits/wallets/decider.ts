import { defineDecider } from '#libs/kernel/domain';
import { endAllowance, grantAllowance } from './decisions/allowances.js';
import { removeAutoTopUp, setAutoTopUp, topUp } from './decisions/auto-top-up.js';
import { balanceLevelEvents } from './decisions/balance-level.js';
import { grantCredits } from './decisions/grant-credits.js';
import {
  activatePurchase,
  purchaseCredits,
  voidPurchase,
  writeOffPurchase,
} from './decisions/purchase-credits.js';
import {
  drawDownCredits,
  expireBlock,
  invoiceUsage,
  recordRefusal,
  returnUsage,
} from './decisions/use-credits.js';
import { returnPurchase } from './decisions/return-purchase.js';
import { voidBlock, voidCredits } from './decisions/void-credits.js';
import type { WalletCommand } from './decisions/wallet-command.js';
import { walletEvents, type WalletEvent } from './events.js';
import { evolve } from './evolve.js';
import { initialState, type Wallet } from './wallet.js';

export const walletDecider = defineDecider<Wallet, WalletCommand, WalletEvent>({
  category: 'wallet',
  events: walletEvents,
  decide(command, wallet = initialState(command)) {
    const events = decide(command, wallet);
    if (events.length === 0 && command.type !== 'TopUpCredits' && command.type !== 'RecordRefusal') return [];
    const after = events.reduce<Wallet>(evolve, wallet);
    return [...events, ...balanceLevelEvents(command.at, wallet, after), ...topUp(command, wallet, after)];
  },
  evolve,
});

function decide(command: WalletCommand, wallet: Wallet): WalletEvent[] {
  switch (command.type) {
    case 'GrantCredits':
      return grantCredits(command, wallet);
    case 'DrawDownCredits':
      return drawDownCredits(command, wallet);
    case 'RecordRefusal':
      return recordRefusal(command, wallet);
    case 'ExpireBlock':
      return expireBlock(command, wallet);
    case 'VoidBlock':
      return voidBlock(command, wallet);
    case 'VoidCredits':
      return voidCredits(command, wallet);
    case 'InvoiceUsage':
      return invoiceUsage(command, wallet);
    case 'ReturnUsage':
      return returnUsage(command, wallet);
    case 'GrantAllowance':
      return grantAllowance(command, wallet);
    case 'EndAllowance':
      return endAllowance(command, wallet);
    case 'PurchaseCredits':
      return purchaseCredits(command, wallet);
    case 'ActivatePurchase':
      return activatePurchase(command, wallet);
    case 'VoidPurchase':
      return voidPurchase(command, wallet);
    case 'WriteOffPurchase':
      return writeOffPurchase(command, wallet);
    case 'ReturnPurchase':
      return returnPurchase(command, wallet);
    case 'SetAutoTopUp':
      return setAutoTopUp(command, wallet);
    case 'RemoveAutoTopUp':
      return removeAutoTopUp(command, wallet);
    case 'TopUpCredits':
      return [];
  }
}
