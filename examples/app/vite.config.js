import { recordModelMock } from 'record-model-contract/mock/vite';
import { routes } from './routes.js';

export default { plugins: [recordModelMock({ records: { crmContact: 300 }, routes })] };
