import { recordModelMock } from 'record-model-contract/mock/vite';
import { defineConfig } from 'vite';

export default defineConfig({ plugins: [recordModelMock()] });
