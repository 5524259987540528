export { WalletQueries } from './wallet-queries.js';
export { WalletsReadModule } from './wallets-read.module.js';
