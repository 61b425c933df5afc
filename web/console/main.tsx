import '../ui/colors.css';
import '../ui/base.css';
import '../ui/parts.css';
import './app/app.css';
import { render } from 'preact';
import { restoreTheme } from '../ui/browser.ts';
import { App } from './app/app.tsx';

restoreTheme();
render(<App />, document.getElementById('app') ?? document.body);
