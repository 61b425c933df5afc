// Puts the page together and draws it anew whenever the address changes.

const skip = element('a', { class: 'skip-link', href: '#view' }, 'Skip to the results');
// The address says what is shown; following the link would lose it.
skip.addEventListener('click', (event) => {
  event.preventDefault();
  view.focus();
});

theme();
document.body.prepend(
  skip,
  pageHeader(),
  element(
    'main',
    {},
    element(
      'div',
      { class: 'filters', role: 'search' },
      search,
      pickModel,
      pickGroup,
      pickRequirement,
      chips,
      clear,
    ),
    count,
    view,
  ),
);

search.addEventListener('input', () => go({ text: search.value }, true));
clear.addEventListener('click', () => go({ cause: '', text: '', model: '', group: '', requirement: '', standings: [] }),
);
draw();

addEventListener('popstate', () => {
  state = readState();
  shown = PAGE;
  draw();
});

function draw() {
  if (document.activeElement !== search) search.value = state.text;
  pickModel.value = state.model;
  pickGroup.value = state.group;
  pickRequirement.value = state.requirement;
  const ofCases = state.view === 'matrix' || state.view === 'cases';
  for (const part of [pickModel, pickGroup, pickRequirement, chips]) part.hidden = !ofCases;
  clear.hidden = address({}) === address({ cause: '', text: '', model: '', group: '', requirement: '', standings: [] });
  drawTabs();
  drawChips();
  const cases = chosen(state.standings);
  if (state.view === 'causes') drawCauses();
  if (state.view === 'matrix') drawMatrix(cases);
  if (state.view === 'cases') drawCases(cases);
  if (state.view === 'requirements') drawRequirements();
  if (state.view === 'coverage') drawCoverage();
}
