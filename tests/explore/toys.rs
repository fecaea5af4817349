//! Small graphs that test the search itself.

use hotkv_playground::explore::{GOAL, Model, Search, Stage, Steps};

use super::naive::Naive;

/// A graph whose states are numbers, with steps that bear marks.
#[derive(Clone)]
struct Graph {
    steps: Vec<Vec<(u8, u32)>>,
    goals: Vec<u8>,
}

impl Graph {
    fn new(steps: &[(u8, u8, u32)], goals: &[u8]) -> Self {
        let mut graph = Self { steps: vec![Vec::new(); 256], goals: goals.to_vec() };
        for &(from, to, marks) in steps {
            graph.steps[usize::from(from)].push((to, marks));
        }
        graph
    }

    fn goal(&self, state: u8) -> u32 {
        if self.goals.contains(&state) { GOAL } else { 0 }
    }
}

impl Model for Graph {
    fn start(&mut self, state: &mut Vec<u8>) -> u32 {
        state.push(0);
        self.goal(0)
    }

    fn expand(&mut self, state: &[u8], steps: &mut Steps) {
        for &(to, marks) in &self.steps[usize::from(state[0])] {
            steps.add(|out| {
                out.push(to);
                marks | self.goal(to)
            });
        }
    }

    fn has_goals(&self) -> bool {
        !self.goals.is_empty()
    }
}

fn searched(graph: &Graph) -> Search<Graph> {
    let mut search = Search::new(graph.clone(), 1_000);
    while !search.step(1) {}
    assert_eq!(search.stage(), Stage::Finished);
    search
}

/// A path as the numbers of its states.
fn told(path: Option<Vec<&[u8]>>) -> Vec<u8> {
    path.unwrap_or_default().into_iter().flatten().copied().collect()
}

#[test]
fn a_clock_of_two_states() {
    let search = searched(&Graph::new(&[(0, 1, 0), (1, 0, 0)], &[1]));
    assert_eq!((search.states(), search.transitions(), search.depth()), (2, 2, 1));
    assert_eq!(search.path_to_hopeless(), None);
    assert_eq!(search.path_to_mark(1), None);
}

#[test]
fn a_state_alone() {
    let search = searched(&Graph::new(&[], &[0]));
    assert_eq!((search.states(), search.transitions(), search.path_to_hopeless()), (1, 0, None));
    assert_eq!(told(searched(&Graph::new(&[], &[9])).path_to_hopeless()), [0]);
}

#[test]
fn the_first_path_is_a_shortest_one() {
    // The long way is tried first.
    let steps = [(0, 1, 0), (0, 4, 0), (1, 2, 0), (2, 3, 0), (3, 5, 1), (4, 3, 0), (4, 5, 2)];
    let search = searched(&Graph::new(&steps, &[0]));
    assert_eq!(told(search.path_to_mark(1)), [0, 4, 3, 5]);
    assert_eq!(told(search.path_to_mark(2)), [0, 4, 5]);
    assert_eq!(search.path_to_mark(4), None);
}

#[test]
fn a_mark_on_a_step_to_a_known_state_counts() {
    let search = searched(&Graph::new(&[(0, 1, 0), (1, 0, 8)], &[0]));
    assert_eq!(told(search.path_to_mark(8)), [0, 1, 0]);
    let own = searched(&Graph::new(&[(0, 0, 8)], &[0]));
    assert_eq!((own.states(), told(own.path_to_mark(8))), (1, vec![0, 0]));
}

#[test]
fn goals_are_reached_through_earlier_states_too() {
    // 0 -> 1 -> 2 -> 3 -> 4, back from 4 to 1, and a goal beside 1 that is found last of all its layer.
    let around = [(0, 1, 0), (1, 2, 0), (2, 3, 0), (3, 4, 0), (4, 1, 0), (1, 5, 0), (5, 5, 0)];
    assert_eq!(searched(&Graph::new(&around, &[5])).path_to_hopeless(), None);
    // Without the way back, the way into the ring is the last hope.
    let lost = [(0, 1, 0), (0, 5, 0), (1, 2, 0), (2, 3, 0), (3, 2, 0)];
    assert_eq!(told(searched(&Graph::new(&lost, &[5])).path_to_hopeless()), [0, 1]);
    let late = [(0, 1, 0), (1, 2, 0), (2, 0, 0), (2, 3, 0), (1, 9, 0), (3, 3, 0)];
    assert_eq!(told(searched(&Graph::new(&late, &[9])).path_to_hopeless()), [0, 1, 2, 3]);
}

#[test]
fn graphs_at_random_against_the_naive_search() {
    let mut seed = 1_u64;
    let mut draw = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((seed >> 33) % below) as u8
    };
    let mut hopeless = 0;
    for _ in 0..500 {
        let size = u64::from(draw(30)) + 1;
        let mut steps = Vec::new();
        for _ in 0..draw(60) {
            steps.push((draw(size), draw(size), if draw(8) == 0 { 1 << draw(4) } else { 0 }));
        }
        let graph = Graph::new(&steps, &[draw(size), draw(size)]);
        let (search, naive) = (searched(&graph), Naive::search(graph.clone()));
        assert_eq!(search.states(), naive.states());
        for mark in [1, 2, 4, 8] {
            assert_eq!(search.path_to_mark(mark).map_or(0, |path| path.len() - 1), naive.to_mark(mark), "{steps:?}");
        }
        assert_eq!(search.path_to_hopeless().map(|path| path.len() - 1), naive.to_hopeless(), "{steps:?}");
        hopeless += usize::from(naive.to_hopeless().is_some());
    }
    assert!((100..400).contains(&hopeless), "{hopeless}");
}

#[test]
fn a_limit_stops_before_the_state_past_it() {
    let steps: Vec<(u8, u8, u32)> = (0..100).map(|state| (state, state + 1, u32::from(state == 49))).collect();
    for (limit, marked) in [(1, false), (50, false), (51, true), (100, true)] {
        let mut search = Search::new(Graph::new(&steps, &[]), limit);
        while !search.step(3) {}
        assert_eq!((search.stage(), search.states()), (Stage::Stopped, limit));
        assert_eq!(search.path_to_mark(1).is_some(), marked, "{limit}");
    }
    let mut search = Search::new(Graph::new(&steps, &[]), 101);
    assert!(search.step(usize::MAX));
    assert_eq!((search.stage(), search.states()), (Stage::Finished, 101));
}
